import fs from "node:fs";
import path from "node:path";
import type { Plugin } from "rolldown";

/** A service finds them by name at run time, and decorators must share one metadata storage. */
const resolvedByName: ReadonlySet<string> = new Set(["class-validator", "class-transformer"]);

/**
 * Excludes packages from a bundle that must stay in their folders: native ones, which load files next to theirs, and
 * those that are found by name at run time.
 */
export function leavePackages({ root, folder }: { readonly root: string; readonly folder: string }): Plugin {
  const known = new Map<string, boolean>();
  const stays = (file: string): boolean => {
    const [, place, name] = /^(.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+))[\\/]/.exec(file) ?? [];
    if (place === undefined || name === undefined) return false;
    const found = known.get(place) ?? (resolvedByName.has(name) || isNative(path.join(place, "package.json")));
    known.set(place, found);
    return found;
  };
  return {
    name: "servicekit-leave-packages",
    resolveId: {
      // Imports inside an excluded package are excluded too.
      filter: { id: /^[^./\0]/ },
      async handler(id, importer, options) {
        const resolved = await this.resolve(id, importer, { ...options, skipSelf: true });
        if (resolved === null || resolved.external || !stays(resolved.id)) return null;
        // By name if the program resolves the same package; others can be resolved only from their importer.
        const named = await this.resolve(id, path.join(root, "package.json"), { skipSelf: true });
        const place = path.relative(folder, resolved.id).split(path.sep).join("/");
        return { id: named?.id === resolved.id ? id : place, external: true };
      },
    },
  };
}

/** Whether it is compiled on installation, or has a package for each platform. */
function isNative(manifest: string): boolean {
  if (!fs.existsSync(manifest)) return false;
  const { optionalDependencies = {}, gypfile = false } = JSON.parse(fs.readFileSync(manifest, "utf8"));
  const isOfPlatforms = Object.keys(optionalDependencies).some((name) => /\b(?:linux|darwin|win32)\b/.test(name));
  return isOfPlatforms || gypfile === true || fs.existsSync(path.join(path.dirname(manifest), "binding.gyp"));
}
