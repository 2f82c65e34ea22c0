import fs from "node:fs";
import path from "node:path";

/**
 * Lists the files below a folder. The recursive listing of Node 24 follows symbolic links, which in `node_modules` lead to
 * millions of paths; this one ignores links.
 *
 * @param isSkipped selects folders by name, which are not entered
 * @returns paths that begin with `folder`
 */
export function filesIn(folder: string, isSkipped: (name: string) => boolean = () => false): string[] {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const place = path.join(folder, entry.name);
    if (entry.isFile()) return [place];
    return entry.isDirectory() && !isSkipped(entry.name) ? filesIn(place, isSkipped) : [];
  });
}
