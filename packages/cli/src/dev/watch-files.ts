import fs from "node:fs";
import path from "node:path";
import { watch } from "chokidar";
import type { Project } from "../project/project.js";

/** Files that changed together. */
export interface Change {
  /** Relative to the project's folder. */
  readonly files: readonly string[];
  readonly isSchemaChanged: boolean;
}

/** How long files must be unchanged before a change is reported: an editor, or git, writes several in sequence. */
const quietMs = 60;

/** Files that never belong to the sources. */
const ignoredFolders: ReadonlySet<string> = new Set(["node_modules", "generated"]);

/** Where code may be located besides `src`. */
const codeFolders: readonly string[] = ["src", "app", "lib", "modules", "config"];

/** The relevant files besides the folders; an application may write others there. */
const rootFile = /^(package\.json|\.env[\w.-]*|[\w-]+\.config\.([cm]?[jt]s|json))$/;

/**
 * Watches the sources of an application: its schema, code, modules and configuration.
 *
 * @param entry the program
 */
export function watchFiles(
  { root, schema, migrations }: Project,
  entry: string,
  report: (change: Change) => void,
): { close(): Promise<void> } {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const watched = new Set([
    ...codeFolders,
    path.relative(root, schema ?? "prisma").split(path.sep)[0],
    path.relative(root, entry).split(path.sep)[0],
  ]);
  const isIgnored = (file: string, stats?: fs.Stats): boolean => {
    const [top = "", ...below] = path.relative(root, file).split(path.sep);
    if (top === "") return false;
    const name = path.basename(file);
    if (below.length === 0) return !watched.has(top) && !rootFile.test(top);
    if (file === migrations || ignoredFolders.has(name) || name.startsWith(".")) return true;
    return stats?.isFile() === true && !/\.([cm]?[jt]s|json|prisma)$/.test(name);
  };
  const watcher = watch(root, { ignored: isIgnored, ignoreInitial: true });
  watcher.on("all", (event, file) => {
    if (event === "addDir" || event === "unlinkDir") return;
    changed.add(path.relative(root, file));
    clearTimeout(timer);
    timer = setTimeout(() => {
      const files = [...changed].sort();
      changed.clear();
      const isSchemaChanged = schema !== undefined && files.some((each) => isInside(path.join(root, each), schema));
      report({ files, isSchemaChanged });
    }, quietMs);
  });
  return {
    close: async () => {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}

const isInside = (file: string, place: string): boolean =>
  file === place || (file.startsWith(place + path.sep) && file.endsWith(".prisma"));
