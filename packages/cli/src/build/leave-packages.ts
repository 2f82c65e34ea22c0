import fs from "node:fs";
import path from "node:path";
import type { Plugin } from "rolldown";

/** A service finds them by their names when it runs, and what decorators tell them has to be in one place. */
const askedForByName: ReadonlySet<string> = new Set(["class-validator", "class-transformer"]);

/**
 * Leaves packages out of a bundle that have to stay in their folders: those with machine code, which load files that lie beside
 * theirs, and those that are found by name when the program runs.
 */
export function leavePackages({ root, folder }: { readonly root: string; readonly folder: string }): Plugin {
  const known = new Map<string, boolean>();
  const stays = (file: string): boolean => {
    const [, place, name] = /^(.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+))[\\/]/.exec(file) ?? [];
    if (place === undefined || name === undefined) return false;
    const found = known.get(place) ?? (askedForByName.has(name) || isNative(path.join(place, "package.json")));
    known.set(place, found);
    return found;
  };
  return {
    name: "servicekit-leave-packages",
    resolveId: {
      // What a package calls its own files is left out with it.
      filter: { id: /^[^./\0]/ },
      async handler(id, importer, options) {
        const resolved = await this.resolve(id, importer, { ...options, skipSelf: true });
        if (resolved === null || resolved.external || !stays(resolved.id)) return null;
        // By its name where the program finds the same one; others only those find that import them.
        const named = await this.resolve(id, path.join(root, "package.json"), { skipSelf: true });
        const place = path.relative(folder, resolved.id).split(path.sep).join("/");
        return { id: named?.id === resolved.id ? id : place, external: true };
      },
    },
  };
}

/** Whether it is compiled where it is installed, or there is a package of it for each platform. */
function isNative(manifest: string): boolean {
  if (!fs.existsSync(manifest)) return false;
  const { optionalDependencies = {}, gypfile = false } = JSON.parse(fs.readFileSync(manifest, "utf8"));
  const isOfPlatforms = Object.keys(optionalDependencies).some((name) => /\b(?:linux|darwin|win32)\b/.test(name));
  return isOfPlatforms || gypfile === true || fs.existsSync(path.join(path.dirname(manifest), "binding.gyp"));
}
