import fs from "node:fs";
import path from "node:path";
import type { Plugin } from "rolldown";

/** In bytes: reading another file takes longer than parsing a smaller one in the bundle. */
const largeTable = 10_000;

/**
 * Excludes large JSON files that packages `require`, such as Asian character encodings: they are read on demand, mostly
 * never. In the bundle they would be a fifth of what each start reads.
 */
export function leaveTables(folder: string): Plugin {
  return {
    name: "servicekit-leave-tables",
    resolveId: {
      filter: { id: /\.json$/ },
      async handler(id, importer, options) {
        if (options.kind !== "require-call") return null;
        const resolved = await this.resolve(id, importer, { ...options, skipSelf: true });
        if (resolved === null || resolved.external || !/[\\/]node_modules[\\/]/.test(resolved.id)) return null;
        if (fs.statSync(resolved.id).size < largeTable) return null;
        return { id: path.relative(folder, resolved.id).split(path.sep).join("/"), external: true };
      },
    },
  };
}
