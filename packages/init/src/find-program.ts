import fs from "node:fs";
import path from "node:path";

/** A source file of a project. */
export interface SourceFile {
  /** Its path relative to the project. */
  readonly place: string;
  readonly text: string;
}

/** An Express application, where the service can be mounted. */
export interface ExpressApplication extends SourceFile {
  /** The name of the variable. */
  readonly name: string;
  /** The position after the last import. */
  readonly importsEnd: number;
  /** The position after the line that creates it. */
  readonly end: number;
}

const skipped: ReadonlySet<string> = new Set([
  "node_modules",
  "dist",
  "build",
  "generated",
  "coverage",
  "test",
  "tests",
]);
const extension = /(?<!\.d|\.test|\.spec)\.[mc]?[jt]sx?$/;

/** The source files of a project: those in its folder, and all in `src`. */
export function sourceFiles(root: string): readonly SourceFile[] {
  return [...filesIn(root, "", false), ...filesIn(root, "src", true)];
}

function filesIn(root: string, folder: string, isDeep: boolean): readonly SourceFile[] {
  const directory = path.join(root, folder);
  if (!fs.existsSync(directory)) return [];
  return fs.readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const place = path.posix.join(folder, entry.name);
    if (entry.isDirectory())
      return isDeep && !skipped.has(entry.name) && !entry.name.startsWith(".") ? filesIn(root, place, true) : [];
    return entry.isFile() && extension.test(entry.name)
      ? [{ place, text: fs.readFileSync(path.join(root, place), "utf8") }]
      : [];
  });
}

/** Whether a file starts or creates a service. */
export const usesService = ({ text }: SourceFile): boolean =>
  /["']@servicekit\/service["']/.test(text) && /\bservice\s*\.\s*(?:init|create)\s*\(/.test(text);

/** Every Express application that the sources create. */
export function findExpress(files: readonly SourceFile[]): readonly ExpressApplication[] {
  return files.flatMap((file) => {
    const code = withoutComments(file.text);
    const [, call = ""] =
      /^import\s+(\w+)(?:\s*,\s*\{[^}]*\})?\s+from\s+["']express["']/m.exec(code) ??
      /^import\s+\*\s+as\s+(\w+)\s+from\s+["']express["']/m.exec(code) ??
      [];
    if (call === "") return [];
    const created = new RegExp(
      `^(?:export\\s+)?(?:const|let|var)\\s+(\\w+)(?:\\s*:[^=]+)?\\s*=\\s*${call}\\(\\);?[ \\t]*(?=\\r?$)`,
      "gm",
    );
    return [...code.matchAll(created)].map((match) => ({
      ...file,
      name: match[1] ?? "",
      importsEnd: endOfImports(code.slice(0, match.index)),
      end: match.index + match[0].length,
    }));
  });
}

function endOfImports(code: string): number {
  const found = [...code.matchAll(/^import\s[^;]*?["'][^"'\n]+["'];?[ \t]*(?=\r?$)/gm)].at(-1);
  return found === undefined ? 0 : found.index + found[0].length;
}

/** The text with blanks for comments, so that positions stay the same. */
function withoutComments(text: string): string {
  return text.replaceAll(
    /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (part) => (part.startsWith("/") ? part.replaceAll(/[^\r\n]/g, " ") : part),
  );
}
