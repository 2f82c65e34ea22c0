import { readPattern } from "../providers/text-pattern.js";

/** A statement with the values of its parameters. */
export interface Statement {
  readonly sql: string;
  readonly args: readonly unknown[];
}

/** Quoted names and texts, the patterns of Prisma's text operators, parameters, and directions of an order. */
const parts =
  /`(?:[^`]|``)*`|"(?:[^"]|"")*"|'(?:[^']|'')*'|LIKE \(('%' \|\| )?\?( \|\| '%')?\)|\?|(?<=[`)] )(?:ASC|DESC)(?=,| LIMIT |\)|$)/g;

/**
 * Gives a statement of Prisma Client the meaning that it has on PostgreSQL: marked patterns are case-sensitive or
 * not, with `\` as the escape character, and NULL comes last in ascending order. Other statements stay as they are.
 */
export function rewriteStatement({ sql, args }: Statement): Statement {
  if (!isOfPrisma(sql) || !/ LIKE \(| ORDER BY /.test(sql)) return { sql, args };
  const values: unknown[] = [];
  let next = 0;
  const changed = sql.replaceAll(parts, (part: string, before: string | undefined, after: string | undefined) => {
    switch (part) {
      case "?":
        values.push(args[next++]);
        return part;
      case "ASC":
        return "ASC NULLS LAST";
      case "DESC":
        return "DESC NULLS FIRST";
    }
    if (!part.startsWith("LIKE (")) return part;
    const operand = args[next++];
    const found = readPattern(operand);
    if (found === undefined) {
      values.push(operand);
      return part;
    }
    const { kind, pattern } = found;
    if (kind === "exact") {
      values.push(`${before === undefined ? "" : "*"}${toGlob(pattern)}${after === undefined ? "" : "*"}`);
      return "GLOB ?";
    }
    const isWhole = kind === "equal";
    values.push(`${isWhole || before === undefined ? "" : "%"}${pattern}${isWhole || after === undefined ? "" : "%"}`);
    return "LIKE ? ESCAPE '\\'";
  });
  return { sql: changed, args: [...values, ...args.slice(next)] };
}

/** Whether a statement is one of Prisma Client: it names the tables by their schema. */
export const isOfPrisma = (sql: string): boolean => sql.includes("`main`.");

/** The pattern of `GLOB`, which is case-sensitive and has brackets instead of an escape character. */
function toGlob(pattern: string): string {
  return pattern.replaceAll(/\\([\s\S])|[%_*?[]/gu, (found: string, escaped: string | undefined) => {
    if (found === "%") return "*";
    if (found === "_") return "?";
    const text = escaped ?? found;
    return /[*?[]/.test(text) ? `[${text}]` : text;
  });
}
