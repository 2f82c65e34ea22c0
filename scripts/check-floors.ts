import fs from "node:fs";
import path from "node:path";
import { foldersOf, sourceImports } from "./source-imports.js";

/** The packages by floor, lowest first, and the exceptions: see docs/architecture.md. */
interface Floors {
  readonly scope: string;
  readonly floors: readonly (readonly string[])[];
  /**
   * The floors inside of packages, by the package's name: folders and files of its `src`, lowest first. What stands in none
   * of them, such as `src/index.ts`, stands above all.
   */
  readonly folders?: Readonly<Record<string, readonly (readonly string[])[]>>;
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

  for (const folder of foldersOf(root)) {
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
    const imports = sourceImports(folder);
    for (const { file, specifier, isTest } of imports) {
      const target = own(specifier);
      if (target === undefined) continue;
      const place = path.relative(root, file);
      check(target, place, isTest);
      if (target !== name && !declared.has(`${floors.scope}/${target}`)) {
        faults.push(`${place}: imports ${target}, which its package.json does not name`);
      }
    }
    const inner = floors.folders?.[name];
    if (inner !== undefined) faults.push(...folderFaults(root, path.join(folder, "src"), inner, imports));
  }
  return faults;
}

/** Holds the imports between the folders of one package against their floors. */
function folderFaults(
  root: string,
  src: string,
  floors: readonly (readonly string[])[],
  imports: ReturnType<typeof sourceImports>,
): string[] {
  const placed = floors.flatMap((names, floor) => names.map((name) => ({ name, floor })));
  const missing = placed.filter(
    ({ name }) => !["", ".ts"].some((ending) => fs.existsSync(path.join(src, name + ending))),
  );
  const placeOf = (file: string): { readonly name: string; readonly floor: number } => {
    const inside = path.relative(src, file).replace(/\.ts$/, "");
    const found = placed.filter(({ name }) => inside === name || inside.startsWith(`${name}/`));
    return found.sort((a, b) => b.name.length - a.name.length)[0] ?? { name: "", floor: floors.length };
  };
  return [
    ...missing.map(({ name }) => `${path.relative(root, src)}: has no ${name}, which floors.json names`),
    ...imports.flatMap(({ file, target, isTest }) => {
      if (target === undefined || isTest) return [];
      const from = placeOf(file);
      const to = placeOf(target);
      if (from.name === to.name || to.floor < from.floor) return [];
      return [`${path.relative(root, file)}: imports ${path.relative(src, target)}, which is not on a lower floor`];
    }),
  ];
}
