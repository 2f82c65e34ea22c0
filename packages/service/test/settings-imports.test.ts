import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const packages = new URL("../../", import.meta.url).pathname;

/** The runtime imports of a source file. */
function valueImports(file: string): string[] {
  const statements = readFileSync(file, "utf8").matchAll(
    /^(?:import|export) (?!type )(?:\{([^}]*)\}|[^;{]*)\s*from "([^"]+)";/gm,
  );
  return [...statements].flatMap(([, names, specifier = ""]) => {
    const isTypes = names?.split(",").every((name) => name.trim() === "" || name.trim().startsWith("type "));
    return isTypes === true ? [] : [specifier];
  });
}

/** The libraries that a source file loads, through all of our files and packages. */
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

it.each(exporting)("validates a configuration of %s without loading its package", (name) => {
  expect(["", "zod"]).toContain([...libraries(path.join(packages, name, "src", "settings.ts"))].join());
});
