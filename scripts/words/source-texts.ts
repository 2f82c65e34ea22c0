import fs from "node:fs";
import path from "node:path";
import { parseSync, Visitor } from "vite";
import { filesIn } from "../files-in.js";

/** A text of the repository that people read. */
export interface SourceText {
  /** The file, from the root of the repository, with forward slashes. */
  readonly file: string;
  /** The line on which the text begins, from 1. */
  readonly line: number;
  readonly kind: "comment" | "message" | "title" | "name" | "page";
  readonly text: string;
}

/** A string literal of the sources or the test titles is a message when it has at least two words in a row. */
const hasWords = /[a-z]{2,}[,;:]? [a-z]/i;
const isStatement =
  /^\s*(?:select|insert|update|delete|with|create|alter|drop|set|begin|commit|rollback|savepoint|release|explain|lock|from|where|order by|left join|truncate|listen|notify|returning|on conflict|values)\b[^a-z]*[A-Z"$({*]/i;
const titled = new Set(["it", "test", "describe", "each", "skipIf", "runIf", "only"]);

/**
 * Reads the comments, messages, test titles and names of a source file.
 *
 * @param file the path that is recorded, and whose ending selects the syntax
 * @throws {Error} when the file cannot be parsed
 */
export function textsOfSource(file: string, source: string): SourceText[] {
  const texts: SourceText[] = [];
  const lineAt = lineFinder(source);
  const add = (kind: SourceText["kind"], start: number, text: string): void => {
    texts.push({ file, line: lineAt(start), kind, text });
  };
  const { program, comments, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  for (const { value, start } of comments) add("comment", start, value);
  const isTest = /\.test(-d)?\.tsx?$/.test(file);
  const titles = new Set<number>();
  const addString = (start: number, text: string): void => {
    if (titles.has(start)) add("title", start, text);
    else if (!isTest && hasWords.test(text) && !isStatement.test(text)) add("message", start, text);
  };
  new Visitor({
    CallExpression({ callee, arguments: [title] }) {
      if (isTest && title !== undefined && titled.has(calledName(callee))) titles.add(title.start);
    },
    Literal({ value, start }) {
      if (typeof value === "string") addString(start, value);
    },
    TemplateLiteral({ quasis, expressions, start }) {
      const parts = quasis.map(({ value }, at) => {
        const expression = expressions[at];
        return value.cooked + (expression ? `\${${source.slice(expression.start, expression.end)}}` : "");
      });
      addString(start, parts.join("").replaceAll(/\s+/g, " "));
    },
    JSXText({ value, start }) {
      if (/[a-z]{2,}/i.test(value)) addString(start, value.replaceAll(/\s+/g, " ").trim());
    },
    Identifier({ name, start }) {
      add("name", start, name);
    },
  }).visit(program);
  return texts;
}

/** Reads a page or a file of any other format, line by line. */
export function textsOfLines(file: string, source: string): SourceText[] {
  return source
    .split("\n")
    .flatMap((text, at) => (text.trim() === "" ? [] : [{ file, line: at + 1, kind: "page" as const, text }]));
}

/** Lists the files of the repository that people read: sources, tests, scripts and pages, without generated ones. */
export function textFiles(root: string): string[] {
  const left =
    /^(?:node_modules|dist|coverage|generated|\.cache|\.data|\.git|\.turbo|\.tools|\.temp|CHANGELOG\.md|pnpm-lock\.yaml)$/;
  return filesIn(root, (name) => left.test(name))
    .map((file) => path.relative(root, file).replaceAll("\\", "/"))
    .filter((file) => /\.(?:tsx?|mjs|md|prisma|yml|yaml)$/.test(file) && !left.test(path.posix.basename(file)))
    .filter((file) => !file.startsWith("apps/docs/api/"))
    .sort();
}

/** Reads every text of the files. */
export function readTexts(root: string, files: readonly string[]): SourceText[] {
  return files.flatMap((file) => {
    const source = fs.readFileSync(path.join(root, file), "utf8");
    // Templates have placeholders, so they do not parse.
    return /\.(?:tsx?|mjs)$/.test(file) && !file.includes("/templates/")
      ? textsOfSource(file, source)
      : textsOfLines(file, source);
  });
}

function calledName(callee: object): string {
  let at = callee as { type: string; name?: string; callee?: object; object?: object; tag?: object };
  while (at.type !== "Identifier") {
    const inner = at.callee ?? at.object ?? at.tag;
    if (inner === undefined) return "";
    at = inner as typeof at;
  }
  return at.name ?? "";
}

function lineFinder(source: string): (offset: number) => number {
  const starts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1;
}
