// Generates the Prisma client and the models of an application if its schema, or the generators, have changed.
// Usage: node --conditions=servicekit-source scripts/generate.mjs <folder of the application>
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..");
const application = path.resolve(process.argv[2] ?? ".");
const folder = path.join(application, "prisma");
/** One for each database of the application. */
const schemas = fs
  .readdirSync(folder)
  .filter((name) => name.endsWith(".prisma"))
  .sort()
  .map((name) => path.join(folder, name));

const generator = path.join(root, "packages", "prisma", "src");
const sources = fs.readdirSync(generator, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
const hash = createHash("sha256");
for (const file of [
  ...schemas,
  path.join(root, "pnpm-lock.yaml"),
  ...sources.sort().map((name) => path.join(generator, name)),
]) {
  hash.update(fs.readFileSync(file)).update("\0");
}
const digest = hash.digest("hex");

const stamp = path.join(application, "src", "generated", ".stamp");
if (!fs.existsSync(stamp) || fs.readFileSync(stamp, "utf8") !== digest) {
  await import("../packages/config-loader/hooks/register.mjs");
  const { generateClient } = await import("./generate-client.ts");
  for (const schema of schemas) await generateClient({ schema });
  fs.writeFileSync(stamp, digest);
}
