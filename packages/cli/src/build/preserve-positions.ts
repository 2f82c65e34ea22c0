import path from "node:path";
import type { Plugin } from "rolldown";
import type { Rolldown } from "./rolldown.js";

const placeName = "\0servicekit-place";
const placeText = `
const { createRequire } = process.getBuiltinModule("node:module");
const path = process.getBuiltinModule("node:path");
const { pathToFileURL } = process.getBuiltinModule("node:url");
export function placeAt(relative, main) {
  const filename = path.join(import.meta.dirname, relative);
  const resolve = (specifier) => {
    const found = createRequire(filename).resolve(specifier);
    return path.isAbsolute(found) ? pathToFileURL(found).href : found;
  };
  return { url: pathToFileURL(filename).href, filename, dirname: path.dirname(filename), main, resolve };
}
`;

/** The options of {@link preservePositions}. */
export interface Places {
  /** The location of the bundle. */
  readonly folder: string;
  /** The file that Node would run without a bundle. */
  readonly program: string;
  readonly library: Rolldown;
}

/**
 * Lets each module of a bundle find its files: `import.meta`, `__dirname` and `__filename` have the values that they
 * would have without a bundle. So pages, workers and programs of packages stay in their folders.
 */
export function preservePositions({ folder, program, library }: Places): Plugin {
  return {
    name: "servicekit-keep-places",
    resolveId: (id) => (id === placeName ? id : null),
    load: (id) => (id === placeName ? placeText : null),
    transform: {
      filter: { id: { exclude: /^\0/ }, code: /import\.meta|__dirname|__filename/ },
      handler(code, id) {
        const { module } = library.parseSync(id, code);
        const at = JSON.stringify(path.relative(folder, id).split(path.sep).join("/"));
        const text = new library.RolldownMagicString(code);
        if (module.hasModuleSyntax) {
          if (module.importMetas.length === 0) return null;
          for (const { start, end } of module.importMetas) text.overwrite(start, end, "__servicekitMeta");
          text.prepend(
            `import { placeAt } from ${JSON.stringify(placeName)}; const __servicekitMeta = placeAt(${at}, ${id === program}); `,
          );
        } else {
          if (/\b(?:const|let|var)\s+__(?:dirname|filename)\b/.test(code)) return null;
          const place = `require(${JSON.stringify(placeName)}).placeAt(${at})`;
          text.prepend(`var { dirname: __dirname, filename: __filename } = ${place}; `);
        }
        return { code: text.toString(), map: text.generateMap({ hires: "boundary" }).toString() };
      },
    },
  };
}
