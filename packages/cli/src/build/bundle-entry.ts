import fs from "node:fs";
import path from "node:path";
import { type ConfigObject } from "@servicekit/config-loader";
import { findConfigFile, importConfigFile } from "@servicekit/config-loader/internal";

/** The files that a service finds by name: its configuration, the components of its modules, and its jobs. */
export async function foundByName(root: string): Promise<readonly string[]> {
  const config = await findConfigFile(root, "service");
  // A file that requires a variable may fail here; what is then missing in the bundle is reported at startup.
  const settings: ConfigObject = config === undefined ? {} : await importConfigFile(config).catch(() => ({}));
  const { modulesDirectory = "dist/modules" } = settings;
  const folder = path.resolve(root, String(modulesDirectory));
  const folders = readFolder(folder).filter((entry) => entry.isDirectory());
  return [
    ...(config === undefined || config.endsWith(".json") ? [] : [config]),
    ...folders.flatMap(({ name }) => partsIn(path.join(folder, name))),
    ...partsIn(path.join(path.dirname(folder), "jobs")),
  ];
}

/** Such as `post.model.js`. */
const partsIn = (module: string): readonly string[] =>
  readFolder(module)
    .filter(({ name }) => /^[^.]+\.(?!test\.|spec\.)[^.]+\.(?:js|mjs|cjs)$/.test(name))
    .map(({ name }) => path.join(module, name));

const readFolder = (folder: string): readonly fs.Dirent[] =>
  fs.existsSync(folder) ? fs.readdirSync(folder, { withFileTypes: true }) : [];

/**
 * Caches compiled code next to the bundle (from Node 22 on), registers the contents of the bundle, and starts the
 * program.
 */
export function entryText(program: string, files: readonly string[], folder: string): string {
  const isBuilt = (file: string): boolean => file.startsWith(path.dirname(program) + path.sep);
  const modules = files.map((file) => {
    const text = isBuilt(file) ? "" : `text: ${JSON.stringify(fs.readFileSync(file, "utf8"))}, `;
    const place = JSON.stringify(path.relative(folder, file).split(path.sep).join("/"));
    return `  [path.join(folder, ${place}), { ${text}load: () => import(${JSON.stringify(file)}) }],\n`;
  });
  // Static imports would be loaded before the cache is enabled.
  return `const path = process.getBuiltinModule("node:path");
const folder = import.meta.dirname;
process.getBuiltinModule("node:module").enableCompileCache?.(path.join(folder, "compiled"));
globalThis[Symbol.for("@servicekit/bundle")] = new Map([
${modules.join("")}]);
await import(${JSON.stringify(program)});
`;
}
