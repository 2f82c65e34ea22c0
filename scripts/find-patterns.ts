import fs from "node:fs";
import path from "node:path";
import { parseSync, Visitor } from "rolldown/utils";

/** One regular expression of the source. */
export interface Pattern {
  /** `file:line` of every occurrence. */
  readonly places: string[];
  readonly source: string;
  readonly flags: string;
}

/** The patterns of a file or a tree. */
export interface Patterns {
  /** By their text, such as `/a+/g`. */
  readonly literals: ReadonlyMap<string, Pattern>;
  /** Calls of `RegExp` with a pattern computed at run time, as `file: text of the call`. */
  readonly computed: readonly string[];
}

/** The regular expressions in the sources of every package of the tree at `root`, without tests and generated files. */
export function findPatterns(root: string): Patterns {
  const literals = new Map<string, Pattern>();
  const computed: string[] = [];
  for (const file of sourceFiles(path.join(root, "packages"))) {
    const text = fs.readFileSync(file, "utf8");
    const name = path.relative(path.join(root, "packages"), file).replaceAll("\\", "/");
    const add = (source: string, flags: string, start: number): void => {
      const key = `/${source}/${flags}`;
      const pattern = literals.get(key) ?? { places: [], source, flags };
      pattern.places.push(`${name}:${text.slice(0, start).split("\n").length}`);
      literals.set(key, pattern);
    };
    const visitCall = ({ callee, arguments: [source, flags], start, end }: Call): void => {
      if (callee.type !== "Identifier" || callee.name !== "RegExp") return;
      const [given, givenFlags] = [textOf(source), flags === undefined ? "" : textOf(flags)];
      if (given !== undefined && givenFlags !== undefined) add(given, givenFlags, start);
      else computed.push(`${name}: ${text.slice(start, end).replaceAll(/\s+/g, " ")}`);
    };
    const { program, errors } = parseSync(file, text);
    if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
    new Visitor({
      Literal(node) {
        if ("regex" in node && node.regex) add(node.regex.pattern, node.regex.flags, node.start);
      },
      NewExpression: (node) => visitCall(node as Call),
      CallExpression: (node) => visitCall(node as Call),
    }).visit(program);
  }
  return { literals, computed };
}

interface Call {
  readonly callee: { readonly type: string; readonly name?: string };
  readonly arguments: readonly object[];
  readonly start: number;
  readonly end: number;
}

/** The value of a string literal in the source. */
function textOf(node: object | undefined): string | undefined {
  const { type, value } = (node ?? {}) as { readonly type?: string; readonly value?: unknown };
  return type === "Literal" && typeof value === "string" ? value : undefined;
}

function sourceFiles(packages: string): string[] {
  return fs.readdirSync(packages).flatMap((name) => {
    const folder = path.join(packages, name, "src");
    if (!fs.existsSync(folder)) return [];
    const files = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
    return files
      .filter((file) => /\.(ts|tsx|mts|js|mjs)$/.test(file) && !/\.test(-d)?\.ts$|(^|[\\/])generated[\\/]/.test(file))
      .map((file) => path.join(folder, file));
  });
}
