import fs from "node:fs";
import path from "node:path";
import type { CodeSplittingGroup } from "rolldown";
import { commandError } from "../command-error.js";
import { builtProgram } from "../project/project.js";
import { entryText, foundByName } from "./bundle-entry.js";
import { leavePackages } from "./leave-packages.js";
import { leaveTables } from "./leave-tables.js";
import { preservePositions } from "./preserve-positions.js";
import { loadRolldown } from "./rolldown.js";
import { takeBuiltins } from "./take-builtins.js";
import { writeAscii } from "./write-ascii.js";

const entryName = "\0servicekit-bundle";

/**
 * Bundles the built program with the packages it imports into few files, of which `dist/bundle/main.js` is the entry:
 * half of a start is finding and reading hundreds of files. The files that a service finds by name, its configuration
 * and its modules, are included (`findBundled` of config-loader). Each module keeps its location, so that files next to
 * it are found.
 *
 * @throws {CommandError} if there is no program, {StartupError} if rolldown is not installed
 */
export async function bundleProgram(project: string): Promise<void> {
  // Modules are identified by their real paths.
  const root = fs.realpathSync(project);
  const program = builtProgram(root);
  if (program === undefined) throw commandError("dist/main.js", "does not exist: a bundle starts from src/main.ts.");
  const library = await loadRolldown();
  const folder = path.join(root, "dist", "bundle");
  const found = await foundByName(root);
  const isOfPackage = (id: string): boolean => !id.startsWith(root + path.sep) || /[\\/]node_modules[\\/]/.test(id);
  const entry = entryText(program, found, folder);
  const bundle = await library.rolldown({
    input: { main: entryName },
    platform: "node",
    // TypeScript next to dist, such as service.config.ts, imports modules by their compiled names.
    resolve: { extensionAlias: { ".js": [".js", ".ts"], ".mjs": [".mjs", ".mts"] } },
    plugins: [
      {
        name: "servicekit-entry",
        resolveId: (id) => (id === entryName ? id : null),
        load: (id) => (id === entryName ? entry : null),
      },
      takeBuiltins(),
      leavePackages({ root, folder }),
      leaveTables(folder),
      preservePositions({ folder, program, library }),
      writeAscii(library),
    ],
    // Warnings about packages are not the user's; a missing package is optional, or was reported by the compiler.
    logLevel: "silent",
  });
  try {
    await bundle.write({
      dir: folder,
      format: "esm",
      sourcemap: true,
      comments: { legal: true, annotation: false, jsdoc: false },
      // It would encode characters differently.
      minify: false,
      // Class names are names in the OpenAPI document.
      keepNames: true,
      codeSplitting: { groups: [oneFile("packages", [program], isOfPackage), oneFile("modules", found)] },
    });
  } finally {
    await bundle.close();
  }
}

/**
 * One file of the bundle for modules that are always loaded together, with their imports. A module that waits for the
 * start of the service must not be among them: modules loaded meanwhile import these, and would wait for it.
 */
function oneFile(
  name: string,
  begin: readonly string[],
  isWanted = (_id: string): boolean => true,
): CodeSplittingGroup {
  let wanted: ReadonlySet<string> | undefined;
  return {
    name: (id, context) => {
      wanted ??= reach(begin, (reached) => context.getModuleInfo(reached)?.importedIds ?? []);
      return wanted.has(id) && isWanted(id) ? name : null;
    },
  };
}

function reach(begin: readonly string[], importedBy: (id: string) => readonly string[]): ReadonlySet<string> {
  const reached = new Set(begin);
  for (const id of reached) for (const imported of importedBy(id)) reached.add(imported);
  return reached;
}
