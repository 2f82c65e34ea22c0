import fs from "node:fs";
import path from "node:path";
import { foldersOf, sourceImports } from "./source-imports.js";

/** The contents of `layers.json`. See docs/architecture.md. */
interface LayerTable {
  readonly scope: string;
  /** The packages and applications by layer, lowest first. */
  readonly layers: readonly (readonly string[])[];
  /**
   * The layers inside of packages, by package: folders and files of `src`, lowest first. Files that no entry covers, such
   * as `src/index.ts`, form the top layer.
   */
  readonly folders?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Packages that may import only the listed packages of this repository. */
  readonly only: Readonly<Record<string, readonly string[]>>;
  /** Packages that the tests of every package may import. */
  readonly testTools: readonly string[];
}

const dependencyKinds = ["dependencies", "peerDependencies", "optionalDependencies"] as const;

/**
 * Checks every manifest and every import below `root` against `layers.json`.
 *
 * @returns one line per violation; empty when there is none
 */
export function checkLayers(root: string): string[] {
  const table = JSON.parse(fs.readFileSync(path.join(root, "layers.json"), "utf8")) as LayerTable;
  const layerOf = new Map(table.layers.flatMap((names, layer) => names.map((name) => [name, layer] as const)));
  const violations: string[] = [];
  const own = (specifier: string): string | undefined =>
    specifier.startsWith(`${table.scope}/`) ? specifier.split("/")[1] : undefined;

  for (const folder of foldersOf(root)) {
    const name = path.basename(folder);
    const layer = layerOf.get(name);
    const where = path.relative(root, folder);
    if (layer === undefined) {
      violations.push(`${where}: is not in layers.json`);
      continue;
    }
    const check = (target: string, place: string, inTest: boolean): void => {
      if (target === name || (inTest && table.testTools.includes(target))) return;
      const targetLayer = layerOf.get(target);
      if (targetLayer === undefined) violations.push(`${place}: ${target} is not in layers.json`);
      else if (targetLayer >= layer) violations.push(`${place}: imports ${target}, which is not on a lower layer`);
      const only = table.only[name];
      if (only !== undefined && !only.includes(target)) violations.push(`${place}: may import only ${only.join(", ")}`);
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
      if (target !== name && !declared.has(`${table.scope}/${target}`)) {
        violations.push(`${place}: imports ${target}, which its package.json does not name`);
      }
    }
    const inner = table.folders?.[name];
    if (inner !== undefined) violations.push(...checkFolders(root, path.join(folder, "src"), inner, imports));
  }
  return violations;
}

/** Checks the imports between the folders of one package against their layers. */
function checkFolders(
  root: string,
  src: string,
  layers: readonly (readonly string[])[],
  imports: ReturnType<typeof sourceImports>,
): string[] {
  const places = layers.flatMap((names, layer) => names.map((name) => ({ name, layer })));
  const missing = places.filter(
    ({ name }) => !["", ".ts"].some((ending) => fs.existsSync(path.join(src, name + ending))),
  );
  const placeOf = (file: string): { readonly name: string; readonly layer: number } => {
    const inside = path.relative(src, file).replace(/\.ts$/, "");
    const found = places.filter(({ name }) => inside === name || inside.startsWith(`${name}/`));
    return found.sort((a, b) => b.name.length - a.name.length)[0] ?? { name: "", layer: layers.length };
  };
  return [
    ...missing.map(({ name }) => `${path.relative(root, src)}: has no ${name}, which layers.json names`),
    ...imports.flatMap(({ file, target, isTest }) => {
      if (target === undefined || isTest) return [];
      const from = placeOf(file);
      const to = placeOf(target);
      if (from.name === to.name || to.layer < from.layer) return [];
      return [`${path.relative(root, file)}: imports ${path.relative(src, target)}, which is not on a lower layer`];
    }),
  ];
}
