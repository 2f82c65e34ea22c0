import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** Folders that represent projects of users; `removeAll` deletes them. */
export function makeProjects() {
  const folders: string[] = [];
  return {
    /** A package with these files; a name that ends in a slash is a folder. */
    project: (files: Readonly<Record<string, string>> = {}): string => {
      const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-project-")));
      folders.push(folder);
      for (const [name, text] of Object.entries({ "package.json": '{"type":"module"}', ...files })) {
        const at = path.join(folder, name);
        fs.mkdirSync(name.endsWith("/") ? at : path.dirname(at), { recursive: true });
        if (!name.endsWith("/")) fs.writeFileSync(at, text);
      }
      return folder;
    },
    removeAll: (): void => {
      for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true });
    },
  };
}
