import { type Dirent, type Stats, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import type { FaultList } from "@servicekit/core/internal";
import { nearestWord } from "@servicekit/core/internal";
import { type Component, components, endings, isComponent } from "./component.js";
import type { ModuleEvent } from "./module-event.js";
import type { ModuleKind } from "./module-kind.js";

/** A module's folder and its files. */
export interface FoundModule {
  readonly kind: ModuleKind;
  readonly files: ReadonlyMap<Component, string>;
}

/** What is told of a search. */
interface Search {
  readonly kinds: ReadonlyMap<string, ModuleKind>;
  /** Whether a folder that is none of the kinds, but looks like a module, is a fault. */
  readonly refusesOthers: boolean;
  readonly faults: FaultList;
  readonly log: (event: ModuleEvent) => void;
}

/**
 * Finds the module folders of a directory and the files that stand for something in them; a folder or a file that most
 * likely was meant to, and is misspelt or misplaced, is a fault. A directory that is not there has no modules.
 */
export async function findModules(directory: string, search: Search): Promise<readonly FoundModule[]> {
  const { kinds, refusesOthers, faults, log } = search;
  const entries = await entriesOf(directory, faults);
  const folders = new Map<string, string>();
  for (const entry of entries) {
    const place = path.join(directory, entry.name);
    if (isFolder(entry, place)) {
      if (kinds.has(entry.name)) folders.set(entry.name, place);
      else if (refusesOthers) await checkForeignFolder(entry.name, place, search);
    } else {
      const name = readFileName(entry.name);
      if (name === undefined || !isComponent(name.component)) continue;
      faults.add(shown(place), `This file stands beside the modules: put it into the folder ${name.stem}.`);
    }
  }
  const found: FoundModule[] = [];
  for (const kind of kinds.values()) {
    const folder = folders.get(kind.name);
    const place = path.join(directory, kind.name);
    log({ kind: "searched", module: kind.name, place: shown(place), isThere: folder !== undefined });
    if (folder === undefined) continue;
    const files = await findFiles(kind, folder, faults);
    for (const component of components) {
      const expected = path.join(folder, `${kind.name}.${component}.{${endings.join(",")}}`);
      const searched = { kind: "searched", module: kind.name, component } as const;
      log({ ...searched, place: shown(files.get(component) ?? expected), isThere: files.has(component) });
    }
    found.push({ kind, files });
  }
  return found;
}

async function findFiles(kind: ModuleKind, folder: string, faults: FaultList): Promise<ReadonlyMap<Component, string>> {
  const files = new Map<Component, string>();
  for (const entry of await entriesOf(folder, faults)) {
    const file = path.join(folder, entry.name);
    const name = isFolder(entry, file) ? undefined : readFileName(entry.name);
    if (name === undefined) continue;
    const { stem, component, ending } = name;
    const meant = isComponent(component) ? component : nearestComponent(component);
    if (meant === undefined) continue;
    const right = `${kind.name}.${meant}.${ending}`;
    if (component !== meant) {
      faults.add(shown(file), `There is no kind of file ${component}; did you mean ${right}?`);
    } else if (stem !== kind.name) {
      const what = stem === "" ? "This file has no name" : `The folder ${kind.name} holds a file of ${stem}`;
      faults.add(shown(file), `${what}; did you mean ${right}?`);
    } else {
      // Files come in the order of their names: dtos before schemas.
      const other = files.get(meant) ?? dtosBeside(meant, files);
      if (other !== undefined) faults.add(shown(file), `${path.basename(other)} says the same; keep one of them.`);
      else files.set(meant, file);
    }
  }
  return files;
}

const dtosBeside = (component: Component, files: ReadonlyMap<Component, string>): string | undefined =>
  component === "schemas" ? files.get("dtos") : undefined;

/** A folder that no model has: left alone, unless its files or the letters of its name say that it was meant as one. */
async function checkForeignFolder(name: string, folder: string, { kinds, faults }: Search): Promise<void> {
  if (/^[._]/.test(name)) return;
  const files = await entriesOf(folder, faults);
  const hasOurs = files.some((entry) => {
    const { component = "" } = readFileName(entry.name) ?? {};
    return isComponent(component) || nearestComponent(component) !== undefined;
  });
  const letters = lettersOf(name);
  const isMeant = [...kinds.keys()].some((known) => lettersOf(known) === letters || lettersOf(`${known}s`) === letters);
  if (hasOurs || isMeant) faults.unknown(shown(folder), "model for the module", name, kinds.keys());
}

/** The same for words that differ in case, in marks or in the order of letters. A merely near word may be anything. */
const lettersOf = (word: string): string => [...word.toLowerCase().replaceAll(/[-_]/g, "")].sort().join("");

interface FileName {
  /** Empty for a file that is called like a component alone, such as `model.ts`. */
  readonly stem: string;
  readonly component: string;
  readonly ending: string;
}

const fileName = new RegExp(`^(?:([^.]+)\\.)?([^.]+)\\.(${endings.join("|")})$`);

/** `post.model.ts` in its parts; `undefined` for what can be none of ours. */
function readFileName(name: string): FileName | undefined {
  const [, stem = "", component = "", ending = ""] = fileName.exec(name) ?? [];
  if (component === "" || /^[._]/.test(name) || leftAlone.has(component)) return undefined;
  // A single word is ours only when it is exactly one of our words.
  if (stem === "" && !isComponent(component)) return undefined;
  return { stem, component, ending };
}

/** Words that are near to one of ours, and usual for something else. */
const leftAlone: ReadonlySet<string> = new Set(["index", "d", "test", "spec", "docs", "mock", "mocks"]);

/** The component that a word most likely means: a word of up to four letters must be the beginning of it. */
function nearestComponent(word: string): Component | undefined {
  const near = nearestWord(word, components) as Component | undefined;
  return near !== undefined && word.length <= 4 && !near.startsWith(word.toLowerCase()) ? undefined : near;
}

async function entriesOf(directory: string, faults: FaultList): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT") faults.add(shown(directory), `The folder cannot be read: ${message}.`);
    return [];
  }
}

function isFolder(entry: Dirent, place: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  const stats: Stats | undefined = statSync(place, { throwIfNoEntry: false });
  return stats?.isDirectory() === true;
}

/** A path as a person at the project's root would write it. */
export function shown(place: string): string {
  const relative = path.relative(process.cwd(), place);
  return relative.startsWith("..") ? place : relative;
}
