// `npm run mutate -- packages/x [--count 10] [--seed 1] [--only part-of-a-path]`: how many small changes of a package its tests notice.
import path from "node:path";
import { parseArgs } from "node:util";
import { expectations, mutatePackage } from "./mutate-package.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: "string" }, seed: { type: "string" }, only: { type: "string" } },
});
const names = positionals.map((folder) => path.basename(folder));
const unknown = names.filter((name) => expectations[name] === undefined);
if (names.length === 0 || unknown.length > 0) {
  console.error(`Usage: npm run mutate -- packages/<name> … One of: ${Object.keys(expectations).join(", ")}`);
  process.exit(2);
}
for (const name of names) {
  const { noticed, total } = await mutatePackage(name, {
    seed: Number(values.seed ?? 1),
    count: Number(values.count ?? 10),
    ...(values.only === undefined ? {} : { only: values.only }),
    report: console.log,
  });
  if (noticed < total * (expectations[name]?.threshold ?? 0)) process.exitCode = 1;
}
