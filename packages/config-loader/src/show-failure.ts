import { readFile } from "node:fs/promises";
import { findSourceMap } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

interface Place {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1; 0 is unknown. */
  readonly column: number;
}

/** The error of a user's file with its position: file, line, column and source text. */
export async function showFailure(error: unknown, file: string): Promise<string> {
  if (!(error instanceof Error)) return `it threw ${typeof error === "string" ? `"${error}"` : typeof error}.`;
  const frame = placeOfFrame(error);
  const description = `${error.name}: ${error.message}${fixFor(error)}`;
  const place =
    (await placeOfImport(error)) ?? placeOfSyntax(error) ?? frame ?? (await placeOfUnplacedSyntax(error, file));
  if (place === undefined) return description;
  const text = (await readFile(place.file, "utf8").catch(() => "")).split(/\r?\n/)[place.line - 1] ?? "";
  const where = `${path.relative(process.cwd(), place.file)}:${place.line}${place.column > 0 ? `:${place.column}` : ""}`;
  const number = `${place.line} | `;
  const shown = text.length > 160 ? "" : `\n${number}${text}`;
  const caret =
    shown === "" || place.column < 1 ? "" : `\n${" ".repeat(number.length)}${gapBefore(text, place.column)}^`;
  return `${description}\nat ${where}${shown}${caret}`;
}

/** The command that fixes a common failure, as a continuation of its message; empty for others. */
export function fixFor({ message }: Error): string {
  const [, name] = /^Cannot find package '([^']+)' imported from /.exec(message) ?? [];
  if (name !== undefined && !path.isAbsolute(name)) return `. Install it: npm install ${name}`;
  if (/^Cannot find module '[^']*[\\/]generated[\\/][^']*' imported from /.test(message))
    return ". Generate it: npx service generate";
  // The decorator `@Type` of class-transformer fails where the class is defined, before our checks.
  if (!/^Reflect\.\w*[mM]etadata is not a function$/.test(message)) return "";
  return '. The decorators of this class need reflect-metadata: run "npm install reflect-metadata", and import "reflect-metadata" before the class.';
}

/** For a missing module, Node names the importing file; the position is the line of the import. */
async function placeOfImport(error: Error): Promise<Place | undefined> {
  const missing = /^Cannot find (?:module|package) '([^']+)' imported from (.+)$/.exec(error.message);
  const wrongExport = /^The requested module '([^']+)' does not provide/.exec(error.message);
  const specifier = missing?.[1] ?? wrongExport?.[1];
  const importer = missing?.[2] ?? placeOfSyntax(error)?.file;
  if (specifier === undefined || importer === undefined) return undefined;
  const file = toPath(importer);
  const lines = (await readFile(file, "utf8").catch(() => "")).split(/\r?\n/);
  const name = path.posix.basename(specifier.replaceAll("\\", "/")).replace(/\.\w+$/, "");
  const index = lines.findIndex((line) => /["']/.test(line) && line.includes(name));
  return index === -1 ? undefined : { file, line: index + 1, column: 0 };
}

/** Node writes the position of a syntax error before its stack. */
function placeOfSyntax(error: Error): Place | undefined {
  const match = /^((?:file:|\/|[A-Za-z]:\\)[^\n]*?):(\d+)(?::(\d+))?\n/.exec(error.stack ?? "");
  if (match === null) return undefined;
  const [, file = "", line, column] = match;
  return { file: toPath(file), line: Number(line), column: Number(column ?? 0) };
}

/** Node does not expose the position of a syntax error in an ES module. */
async function placeOfUnplacedSyntax(error: Error, file: string): Promise<Place | undefined> {
  if (!(error instanceof SyntaxError)) return undefined;
  const text = await readFile(file, "utf8").catch(() => "");
  const { transform } = await import("oxc-transform");
  const { errors } = await transform(file, text);
  const start = errors[0]?.labels[0]?.start;
  if (start === undefined) return undefined;
  const before = text.slice(0, start).split("\n");
  return { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** The first frame that belongs to the user: not in Node, a package, or servicekit. */
function placeOfFrame(error: Error): Place | undefined {
  // First, because a stack is formatted when it is first read.
  const site = readSites(error).find((one) => isOfUser(one.getFileName() ?? ""));
  const original = site === undefined ? undefined : toOriginal(site);
  if (original !== undefined) return original;
  for (const line of (error.stack ?? "").split("\n")) {
    const match = /^\s+at (?:.*\()?((?:file:|\/|[A-Za-z]:\\)[^()]*?):(\d+):(\d+)\)?$/.exec(line);
    const [, source = "", row, column] = match ?? [];
    if (isOfUser(source)) return { file: toPath(source), line: Number(row), column: Number(column) };
  }
  return undefined;
}

const ours = path.dirname(import.meta.dirname) + path.sep;

function isOfUser(source: string): boolean {
  if (!/^(file:|\/|[A-Za-z]:\\)/.test(source)) return false;
  const file = toPath(source);
  return !/[\\/]node_modules[\\/]/.test(file) && !file.startsWith(ours);
}

/** The frames of the running code; a test runner that formats stacks does not have our source maps. */
function readSites(error: Error): readonly NodeJS.CallSite[] {
  const before = Error.prepareStackTrace;
  let sites: readonly NodeJS.CallSite[] = [];
  Error.prepareStackTrace = (failed, found) => {
    sites = found;
    return before?.(failed, found) ?? [`${failed}`, ...found].join("\n    at ");
  };
  try {
    void error.stack;
  } finally {
    Error.prepareStackTrace = before;
  }
  return sites;
}

function toOriginal(site: NodeJS.CallSite): Place | undefined {
  const source = site.getFileName() ?? "";
  const entry = findSourceMap(source)?.findEntry((site.getLineNumber() ?? 1) - 1, (site.getColumnNumber() ?? 1) - 1);
  if (entry === undefined || !("originalLine" in entry)) return undefined;
  return { file: toPath(source), line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}

function toPath(source: string): string {
  const [file = ""] = source.split("?", 1);
  return file.startsWith("file:") ? fileURLToPath(file) : file;
}

/** As wide as the text before the column, including tabs. */
const gapBefore = (text: string, column: number): string => text.slice(0, column - 1).replaceAll(/[^\t]/g, " ");
