import { ResultTooLarge, type SqlLink, type TextRow } from "../sql-link.js";
import type { KeyedRead, KeyedStatement } from "./keyed-statement.js";
import { holdsList, type Shape } from "./shape.js";

/** Reads the row of a key; `undefined` where there is none. */
export type ReadKeyed = (read: KeyedRead) => Promise<TextRow | undefined>;

/** Keys of one statement. Whoever reads the first of its rows waits for all of them. */
const mostKeys = 100;
/** Where each row brings lists of related rows, which take time to read and to write. */
const mostKeysWithLists = 10;

/** The one key of a group that somebody waits for, and who does. */
interface Waiting {
  readonly key: readonly unknown[];
  readonly told: { resolve(row: TextRow | undefined): void; reject(error: unknown): void }[];
}

/** Reads of one turn that differ in their keys alone. */
interface Group {
  readonly statement: KeyedStatement;
  readonly most: number;
  /** By the text of the key. */
  readonly waiting: Map<string, Waiting>;
}

/**
 * Reads rows by keys so that what is asked for within one turn of the event loop is one statement for each kind of read. It
 * is sent when everything that has arrived in the turn has asked, so nobody gets what was read before the request came;
 * nothing is remembered. Reads are of one kind where their statements and all parameters but the keys are the same: whoever
 * may see other rows, or other fields of them, is of another kind. A read that is alone is the statement of one row.
 */
export function readTogether(link: SqlLink): ReadKeyed {
  let groups: Map<string, Group> | undefined;
  const sendAll = (): void => {
    const sent = [...(groups?.values() ?? [])];
    groups = undefined;
    for (const group of sent) void sendGroup(group, link);
  };
  const groupOf = (kind: string, statement: KeyedStatement): Group => {
    if (groups === undefined) {
      groups = new Map();
      setImmediate(sendAll);
    }
    const group = groups.get(kind) ?? openGroup(statement);
    groups.set(kind, group);
    return group;
  };
  return ({ statement, key }) =>
    new Promise((resolve, reject) => {
      const kind = kindOf(statement);
      if (kind === undefined) {
        void sendAlone(statement, { key, told: [{ resolve, reject }] }, link);
        return;
      }
      const group = groupOf(kind, statement);
      const text = key.length === 1 ? String(key[0]) : JSON.stringify(key);
      const waiting = group.waiting.get(text) ?? { key, told: [] };
      waiting.told.push({ resolve, reject });
      group.waiting.set(text, waiting);
      if (group.waiting.size < group.most) return;
      groups?.delete(kind);
      void sendGroup(group, link);
    });
}

const openGroup = (statement: KeyedStatement): Group => ({
  statement,
  most: statement.shape.some(holdsList) ? mostKeysWithLists : mostKeys,
  waiting: new Map(),
});

const kinds = new WeakMap<KeyedStatement, string>();

/** What reads must have in common: the rows that they may find, the columns, and the names that these get. */
function kindOf(statement: KeyedStatement): string | undefined {
  const { together, shared, shape } = statement;
  if (together === undefined) return undefined;
  const known = kinds.get(statement);
  if (known !== undefined) return known;
  const kind = JSON.stringify([together, shared, namesOf(shape)]);
  kinds.set(statement, kind);
  return kind;
}

type Names = readonly (string | Names)[];

const namesOf = (shape: Shape): Names =>
  shape.flatMap((member) => (member.kind === "column" ? [member.name] : [member.name, namesOf(member.shape)]));

async function sendGroup({ statement, waiting }: Group, link: SqlLink): Promise<void> {
  const all = [...waiting.values()];
  const [first, ...others] = all as [Waiting, ...Waiting[]];
  if (others.length === 0) return sendAlone(statement, first, link);
  const { together = "", shared } = statement;
  const lists = first.key.map((_part, index) => all.map(({ key }) => key[index]));
  try {
    const found = await link.query(together, [...shared, ...lists]);
    const rows = new Map(found.map((row) => [Number(row.at(-1)), row]));
    for (const [index, { told }] of all.entries()) for (const { resolve } of told) resolve(rows.get(index + 1));
  } catch (error) {
    if (isOfAll(error)) for (const { told } of all) for (const { reject } of told) reject(error);
    else await Promise.all(all.map((one) => sendAlone(statement, one, link)));
  }
}

async function sendAlone({ alone, shared }: KeyedStatement, { key, told }: Waiting, link: SqlLink): Promise<void> {
  try {
    const [row] = await link.query(alone, [...shared, ...key]);
    for (const { resolve } of told) resolve(row);
  } catch (error) {
    for (const { reject } of told) reject(error);
  }
}

/** Whether an error would meet each of the reads alone too. PostgreSQL's own may come of one key, or one row. */
function isOfAll(error: unknown): boolean {
  // Each row alone may be small enough.
  if (error instanceof ResultTooLarge) return false;
  const { cause } = error as { readonly cause?: { readonly originalCode?: unknown } };
  const code = cause?.originalCode;
  // No link, no room, the server goes down; a plan that is out of date, which all ask again for.
  return typeof code !== "string" || /^(08|53|57P|0A)/.test(code);
}
