import { readPattern } from "../providers/text-pattern.js";

/** A statement with the values of its parameters, as the driver adapters of Prisma take it. */
interface Statement {
  readonly sql: string;
  readonly args: unknown[];
  readonly argTypes: unknown[];
}

const name = "`(?:[^`]|``)*`";
const column = `(?:${name}\\.)*${name}`;

/** What is changed, and everything that may contain a `?` that is not a parameter. */
const parts = new RegExp(
  [
    `\\((?<isNot>NOT )?JSON_CONTAINS\\((?<json>${column}), \\?\\) (?:AND|OR) (?:NOT )?JSON_CONTAINS\\(\\?, \\k<json>\\)\\)`,
    `(?<text>${column}) (?<notLike>NOT )?LIKE (?<pattern>CONCAT\\((?:'%', )?\\?(?:, '%')?\\))`,
    `(?<sorted>[A-Z]+\\(${column}\\)|\`orderby_\\d+\`\\.${name}) (?<direction>ASC|DESC)(?=,| LIMIT |\\)|$)`,
    column,
    "'(?:[^']|'')*'",
    "\\?",
  ].join("|"),
  "g",
);

/**
 * Gives a statement of Prisma Client the meaning that it has on PostgreSQL: marked patterns are case-sensitive or not,
 * a NULL of an aggregate or of a row that does not exist comes last in ascending order, and JSON values are equal if they have the same items in the same order. Other statements
 * stay as they are.
 *
 * @param jsonEqual the comparison of a JSON column with a parameter, which MariaDB and MySQL write differently
 * @param prefix what every table of a statement of Prisma begins with: the quoted name of the database
 */
export function rewriteStatement<Query extends Statement>(
  query: Query,
  prefix: string,
  jsonEqual: (column: string) => string,
): Query {
  if (!query.sql.includes(prefix) || !/ LIKE CONCAT\(|JSON_CONTAINS\(| ORDER BY /.test(query.sql)) return query;
  const args: unknown[] = [];
  const argTypes: unknown[] = [];
  let next = 0;
  const take = (change: (arg: unknown) => unknown = (arg) => arg): void => {
    args.push(change(query.args[next]));
    argTypes.push(query.argTypes[next]);
    next++;
  };
  const sql = query.sql.replaceAll(parts, (part: string, ...given: unknown[]) => {
    const { isNot, json, text, notLike = "", pattern, sorted, direction } = given.at(-1) as Record<string, string>;
    if (json !== undefined) {
      take();
      next++;
      return isNot === undefined ? jsonEqual(json) : `(NOT ${jsonEqual(json)})`;
    }
    if (text !== undefined) {
      const found = readPattern(query.args[next]);
      take((operand) => found?.pattern ?? operand);
      if (found === undefined || found.kind === "exact") return part;
      return `LOWER(${text}) ${notLike}LIKE LOWER(${found.kind === "equal" ? "?" : pattern})`;
    }
    if (sorted !== undefined) return `ISNULL(${sorted}) ${direction}, ${sorted} ${direction}`;
    if (part === "?") take();
    return part;
  });
  return { ...query, sql, args, argTypes };
}

/** How MariaDB compares a JSON column with a parameter; its `JSON_EQUALS` is true for NULL in a condition. */
export const mariadbJsonEqual = (of: string): string => `(JSON_NORMALIZE(${of}) = JSON_NORMALIZE(?))`;
/** How MySQL compares a JSON column with a parameter. */
export const mysqlJsonEqual = (of: string): string => `(${of} = CAST(? AS JSON))`;
