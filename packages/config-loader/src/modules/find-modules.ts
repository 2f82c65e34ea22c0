import { type Dirent, type Stats, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import type { IssueList } from "@servicekit/core/internal";
import { nearestWord } from "@servicekit/core/internal";
import { type Component, components, endings, isComponent } from "./component.js";
import type { ModuleEvent } from "./module-event.js";
import type { ModuleKind } from "./module-kind.js";

/** The folder of a module and its files. */
export interface FoundModule {
  readonly kind: ModuleKind;
  readonly files: ReadonlyMap<Component, string>;
}

/** The callbacks of a search. */
interface Search {
  readonly kinds: ReadonlyMap<string, ModuleKind>;
  /** Whether an unknown folder that looks like a module is an error. */
  readonly rejectsOthers: boolean;
  readonly issues: IssueList;
  readonly log: (event: ModuleEvent) => void;
}

/**
 * Finds the module folders of a directory and their component files. A folder or file that is probably misspelled or
 * misplaced is an error. A missing directory has no modules.
 */
export async function findModules(directory: string, search: Search): Promise<readonly FoundModule[]> {
  const { kinds, rejectsOthers, issues, log } = search;
  const entries = await entriesOf(directory, issues);
  const folders = new Map<string, string>();
  for (const entry of entries) {
    const place = path.join(directory, entry.name);
    if (isFolder(entry, place)) {
      if (kinds.has(entry.name)) folders.set(entry.name, place);
      else if (rejectsOthers) await checkForeignFolder(entry.name, place, search);
    } else {
      const name = readFileName(entry.name);
      if (name === undefined || !isComponent(name.component)) continue;
      issues.add(shown(place), `This file is next to the modules: move it into the folder ${name.stem}.`);
    }
  }
  const found: FoundModule[] = [];
  for (const kind of kinds.values()) {
    const folder = folders.get(kind.name);
    const place = path.join(directory, kind.name);
    log({ kind: "searched", module: kind.name, place: shown(place), isThere: folder !== undefined });
    if (folder === undefined) continue;
    const files = await findFiles(kind, folder, issues);
    for (const component of components) {
      const expected = path.join(folder, `${kind.name}.${component}.{${endings.join(",")}}`);
      const searched = { kind: "searched", module: kind.name, component } as const;
      log({ ...searched, place: shown(files.get(component) ?? expected), isThere: files.has(component) });
    }
    found.push({ kind, files });
  }
  return found;
}

async function findFiles(kind: ModuleKind, folder: string, issues: IssueList): Promise<ReadonlyMap<Component, string>> {
  const files = new Map<Component, string>();
  for (const entry of await entriesOf(folder, issues)) {
    const file = path.join(folder, entry.name);
    const name = isFolder(entry, file) ? undefined : readFileName(entry.name);
    if (name === undefined) continue;
    const { stem, component, ending } = name;
    const meant = isComponent(component) ? component : nearestComponent(component);
    if (meant === undefined) continue;
    const right = `${kind.name}.${meant}.${ending}`;
    if (component !== meant) {
      issues.add(shown(file), `Unknown kind of file ${component}. Did you mean ${right}?`);
    } else if (stem !== kind.name) {
      const what = stem === "" ? "This file has no name" : `The folder ${kind.name} contains a file of ${stem}`;
      issues.add(shown(file), `${what}. Did you mean ${right}?`);
    } else {
      // Files come in the order of their names: dtos before schemas.
      const other = files.get(meant) ?? dtosBeside(meant, files);
      if (other !== undefined)
        issues.add(shown(file), `${path.basename(other)} declares the same. Remove one of them.`);
      else files.set(meant, file);
    }
  }
  return files;
}

const dtosBeside = (component: Component, files: ReadonlyMap<Component, string>): string | undefined =>
  component === "schemas" ? files.get("dtos") : undefined;

/** A folder that matches no model is ignored, unless its files or its name indicate a misspelled module. */
async function checkForeignFolder(name: string, folder: string, { kinds, issues }: Search): Promise<void> {
  if (/^[._]/.test(name)) return;
  const files = await entriesOf(folder, issues);
  const hasComponents = files.some((entry) => {
    const { component = "" } = readFileName(entry.name) ?? {};
    return isComponent(component) || nearestComponent(component) !== undefined;
  });
  const letters = lettersOf(name);
  const isMeant = [...kinds.keys()].some((known) => lettersOf(known) === letters || lettersOf(`${known}s`) === letters);
  if (hasComponents || isMeant) issues.unknown(shown(folder), "model for the module", name, kinds.keys());
}

/**
 * The same for words that differ in case, separators or the order of letters. A merely similar word may be anything.
 */
const lettersOf = (word: string): string => [...word.toLowerCase().replaceAll(/[-_]/g, "")].sort().join("");

interface FileName {
  /** Empty for a file whose name is only a component, such as `model.ts`. */
  readonly stem: string;
  readonly component: string;
  readonly ending: string;
}

const fileName = new RegExp(`^(?:([^.]+)\\.)?([^.]+)\\.(${endings.join("|")})$`);

/** `post.model.ts` in its parts; `undefined` for a file that cannot be a component. */
function readFileName(name: string): FileName | undefined {
  const [, stem = "", component = "", ending = ""] = fileName.exec(name) ?? [];
  if (component === "" || /^[._]/.test(name) || leftAlone.has(component)) return undefined;
  // A single word must be exactly one of the known words.
  if (stem === "" && !isComponent(component)) return undefined;
  return { stem, component, ending };
}

/** Words that are similar to known ones but common for other purposes. */
const leftAlone: ReadonlySet<string> = new Set(["index", "d", "test", "spec", "docs", "mock", "mocks"]);

/** The component that a word most likely means. A word of up to four letters must be its prefix. */
function nearestComponent(word: string): Component | undefined {
  const near = nearestWord(word, components) as Component | undefined;
  return near !== undefined && word.length <= 4 && !near.startsWith(word.toLowerCase()) ? undefined : near;
}

async function entriesOf(directory: string, issues: IssueList): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT") issues.add(shown(directory), `The folder cannot be read: ${message}.`);
    return [];
  }
}

function isFolder(entry: Dirent, place: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  const stats: Stats | undefined = statSync(place, { throwIfNoEntry: false });
  return stats?.isDirectory() === true;
}

/** A path relative to the project root. */
export function shown(place: string): string {
  const relative = path.relative(process.cwd(), place);
  return relative.startsWith("..") ? place : relative;
}
