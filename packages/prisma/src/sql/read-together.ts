import { ResultTooLarge, type SqlLink, type TextRow } from "../database/sql-link.js";
import type { KeyedRead, KeyedStatement } from "./keyed-statement.js";
import { containsList, type Shape } from "./shape.js";

/** Reads the row of a key; `undefined` if there is none. */
export type ReadKeyed = (read: KeyedRead) => Promise<TextRow | undefined>;

/** Maximum number of keys per statement, because the first row has to wait for all of them. */
const maxKeys = 100;
/** The same if each row includes related lists, which take time to read and to write. */
const maxKeysWithLists = 10;

/** A waiting key of a group, and its callers. */
interface Waiting {
  readonly key: readonly unknown[];
  readonly callers: { resolve(row: TextRow | undefined): void; reject(error: unknown): void }[];
}

/** Reads of one tick that differ only in their keys. */
interface Group {
  readonly statement: KeyedStatement;
  readonly max: number;
  /** By the text of the key. */
  readonly waiting: Map<string, Waiting>;
}

/**
 * Reads rows by keys, with one statement for all equal reads of one tick of the event loop. It is sent after all
 * requests that arrived in the tick have been processed, so no caller gets data from before its request; nothing is
 * cached. Reads are equal if their statements and all parameters except the keys are the same: callers with access to
 * other rows or fields have separate statements. A single read uses the statement of one row.
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
        void sendAlone(statement, { key, callers: [{ resolve, reject }] }, link);
        return;
      }
      const group = groupOf(kind, statement);
      const text = key.length === 1 ? String(key[0]) : JSON.stringify(key);
      const waiting = group.waiting.get(text) ?? { key, callers: [] };
      waiting.callers.push({ resolve, reject });
      group.waiting.set(text, waiting);
      if (group.waiting.size < group.max) return;
      groups?.delete(kind);
      void sendGroup(group, link);
    });
}

const openGroup = (statement: KeyedStatement): Group => ({
  statement,
  max: statement.shape.some(containsList) ? maxKeysWithLists : maxKeys,
  waiting: new Map(),
});

const kinds = new WeakMap<KeyedStatement, string>();

/** What equal reads have in common: the conditions, the columns, and their names. */
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
    for (const [index, { callers }] of all.entries()) for (const { resolve } of callers) resolve(rows.get(index + 1));
  } catch (error) {
    if (isOfAll(error)) for (const { callers } of all) for (const { reject } of callers) reject(error);
    else await Promise.all(all.map((one) => sendAlone(statement, one, link)));
  }
}

async function sendAlone({ alone, shared }: KeyedStatement, { key, callers }: Waiting, link: SqlLink): Promise<void> {
  try {
    const [row] = await link.query(alone, [...shared, ...key]);
    for (const { resolve } of callers) resolve(row);
  } catch (error) {
    for (const { reject } of callers) reject(error);
  }
}

/**
 * Whether an error would affect each of the reads alone too. A PostgreSQL error may be caused by one key, or one row.
 */
function isOfAll(error: unknown): boolean {
  // Each row alone may be small enough.
  if (error instanceof ResultTooLarge) return false;
  const { cause } = error as { readonly cause?: { readonly originalCode?: unknown } };
  const code = cause?.originalCode;
  // No connection, no room, a server shutdown; an outdated plan, which all repeat.
  return typeof code !== "string" || /^(08|53|57P|0A)/.test(code);
}
