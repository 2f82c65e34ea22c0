import fs from "node:fs";
import path from "node:path";

/** The packages by floor, lowest first, and the exceptions: see docs/architecture.md. */
interface Floors {
  readonly scope: string;
  readonly floors: readonly (readonly string[])[];
  /** Packages that may import only these of ours. */
  readonly only: Readonly<Record<string, readonly string[]>>;
  /** Packages that every test may use. */
  readonly testTools: readonly string[];
}

const dependencyKinds = ["dependencies", "peerDependencies", "optionalDependencies"] as const;

/** Holds every manifest and every import of the tree at `root` against its `floors.json`; returns the faults. */
export function checkFloors(root: string): string[] {
  const floors = JSON.parse(fs.readFileSync(path.join(root, "floors.json"), "utf8")) as Floors;
  const floorOf = new Map(floors.floors.flatMap((names, floor) => names.map((name) => [name, floor] as const)));
  const faults: string[] = [];
  const own = (specifier: string): string | undefined =>
    specifier.startsWith(`${floors.scope}/`) ? specifier.split("/")[1] : undefined;

  for (const folder of ["packages", "apps"].flatMap((group) => foldersIn(path.join(root, group)))) {
    const name = path.basename(folder);
    const floor = floorOf.get(name);
    const where = path.relative(root, folder);
    if (floor === undefined) {
      faults.push(`${where}: is not in floors.json`);
      continue;
    }
    const check = (target: string, place: string, inTest: boolean): void => {
      if (target === name || (inTest && floors.testTools.includes(target))) return;
      const targetFloor = floorOf.get(target);
      if (targetFloor === undefined) faults.push(`${place}: ${target} is not in floors.json`);
      else if (targetFloor >= floor) faults.push(`${place}: imports ${target}, which is not on a lower floor`);
      const only = floors.only[name];
      if (only !== undefined && !only.includes(target)) faults.push(`${place}: may import only ${only.join(", ")}`);
    };
    const manifest = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
    for (const kind of [...dependencyKinds, "devDependencies"] as const) {
      for (const dependency of Object.keys(manifest[kind] ?? {})) {
        const target = own(dependency);
        if (target !== undefined) check(target, `${where}/package.json (${kind})`, kind === "devDependencies");
      }
    }
    const declared = new Set(
      [...dependencyKinds, "devDependencies"].flatMap((kind) => Object.keys(manifest[kind] ?? {})),
    );
    for (const file of sourcesIn(folder)) {
      const inTest = /\.test(-d)?\.ts$/.test(file) || path.relative(folder, file).startsWith("test");
      for (const specifier of importsOf(fs.readFileSync(file, "utf8"))) {
        const target = own(specifier);
        if (target === undefined) continue;
        const place = path.relative(root, file);
        check(target, place, inTest);
        if (target !== name && !declared.has(`${floors.scope}/${target}`)) {
          faults.push(`${place}: imports ${target}, which its package.json does not name`);
        }
      }
    }
  }
  return faults;
}

function foldersIn(folder: string): string[] {
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder).flatMap((name) => {
    const at = path.join(folder, name);
    return fs.existsSync(path.join(at, "package.json")) ? [at] : [];
  });
}

function sourcesIn(folder: string): string[] {
  return ["src", "test", "bin"].flatMap((part) => {
    const at = path.join(folder, part);
    if (!fs.existsSync(at)) return [];
    const files = fs.readdirSync(at, { recursive: true, encoding: "utf8" });
    return files.filter((file) => /\.(ts|mts|js|mjs)$/.test(file)).map((file) => path.join(at, file));
  });
}

function importsOf(source: string): string[] {
  return [...source.matchAll(/(?:from\s*|import\s*\(?\s*)["']([^"'\n]+)["']/g)].map(([, specifier]) => specifier ?? "");
}
