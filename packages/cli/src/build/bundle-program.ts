import fs from "node:fs";
import path from "node:path";
import type { CodeSplittingGroup } from "rolldown";
import { fault } from "../command-error.js";
import { builtProgram } from "../project/project.js";
import { entryText, foundByName } from "./bundle-entry.js";
import { keepPlaces } from "./keep-places.js";
import { leavePackages } from "./leave-packages.js";
import { leaveTables } from "./leave-tables.js";
import { loadRolldown } from "./rolldown.js";
import { takeBuiltins } from "./take-builtins.js";
import { writeAscii } from "./write-ascii.js";

const entryName = "\0servicekit-bundle";

/**
 * Joins the built program with the packages it imports to few files, of which `dist/bundle/main.js` is the one to start: half of
 * a start is finding and reading hundreds of files. What a service finds by the names of files, its configuration and its modules,
 * is in there too (`findBundled` of config-loader). Each module keeps its place, so what is no module stays where it is.
 *
 * @throws {CommandError} where there is no program, {StartError} where rolldown is not installed
 */
export async function bundleProgram(project: string): Promise<void> {
  // Modules are known by where they really are.
  const root = fs.realpathSync(project);
  const program = builtProgram(root);
  if (program === undefined) throw fault("dist/main.js", "is not there: a bundle begins with src/main.ts.");
  const library = await loadRolldown();
  const folder = path.join(root, "dist", "bundle");
  const found = await foundByName(root);
  const isOfPackage = (id: string): boolean => !id.startsWith(root + path.sep) || /[\\/]node_modules[\\/]/.test(id);
  const entry = entryText(program, found, folder);
  const bundle = await library.rolldown({
    input: { main: entryName },
    platform: "node",
    // TypeScript beside dist, such as service.config.ts, names its imports as they are called once they are compiled.
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
      keepPlaces({ folder, program, library }),
      writeAscii(library),
    ],
    // What packages are made of is theirs; what is not installed is optional, or was told by the compiler.
    logLevel: "silent",
  });
  try {
    await bundle.write({
      dir: folder,
      format: "esm",
      sourcemap: true,
      comments: { legal: true, annotation: false, jsdoc: false },
      // It would write letters anew.
      minify: false,
      // Names of classes are names in the OpenAPI document.
      keepNames: true,
      codeSplitting: { groups: [oneFile("packages", [program], isOfPackage), oneFile("modules", found)] },
    });
  } finally {
    await bundle.close();
  }
}

/**
 * One file of the bundle for modules that are loaded together in any case, with what they import. A module that waits for the
 * service to start must not be among them: what is loaded meanwhile imports them, and would wait for it.
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
