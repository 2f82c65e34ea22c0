import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const packages = new URL("../../", import.meta.url).pathname;

/** What a source loads when it is imported: the specifiers of its values, not of its types. */
function valueImports(file: string): string[] {
  const statements = readFileSync(file, "utf8").matchAll(
    /^(?:import|export) (?!type )(?:\{([^}]*)\}|[^;{]*)\s*from "([^"]+)";/gm,
  );
  return [...statements].flatMap(([, names, specifier = ""]) => {
    const isTypes = names?.split(",").every((name) => name.trim() === "" || name.trim().startsWith("type "));
    return isTypes === true ? [] : [specifier];
  });
}

/** The libraries that a source loads, through all files and packages of ours. */
function libraries(file: string, seen: Set<string> = new Set()): Set<string> {
  const found = new Set<string>();
  if (seen.has(file)) return found;
  seen.add(file);
  for (const specifier of valueImports(file)) {
    const own = /^@servicekit\/([^/]+)(?:\/(.+))?$/.exec(specifier);
    if (specifier.startsWith(".")) {
      const next = path.resolve(path.dirname(file), specifier).replace(/\.js$/, ".ts");
      for (const one of libraries(next, seen)) found.add(one);
    } else if (own !== null) {
      const next = path.join(packages, own[1] ?? "", "src", `${own[2] ?? "index"}.ts`);
      for (const one of libraries(next, seen)) found.add(one);
    } else if (!specifier.startsWith("node:")) found.add(specifier);
  }
  return found;
}

const owners = readdirSync(packages).filter((name) => existsSync(path.join(packages, name, "src", "settings.ts")));
const exporting = owners.filter((name) => {
  const manifest = JSON.parse(readFileSync(path.join(packages, name, "package.json"), "utf8"));
  return "./settings" in manifest.exports;
});

it.each(exporting)("F27 a configuration of %s is checked without loading what it configures", (name) => {
  expect([...libraries(path.join(packages, name, "src", "settings.ts"))]).toEqual(["zod"]);
});
