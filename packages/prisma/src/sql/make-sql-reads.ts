import { type MakeReadExecutor, prismaReads, type ReadExecutor } from "../database/read-executor.js";
import { responseTooLarge } from "../errors/response-too-large.js";
import { type Model, type Models } from "../model.js";
import { ResultTooLarge, type SqlLink } from "../sql-link.js";
import { collationsOf, withCollations } from "./collations.js";
import { rowToValues } from "./column-value.js";
import { JsonRows, oneToJson } from "./json-rows.js";
import { KeyedReads } from "./keyed-statement.js";
import { notFoldable } from "./not-foldable.js";
import { countSql, countsItself, listSql } from "./read-statement.js";
import { readTogether } from "./read-together.js";
import { type RowForm, Statement } from "./statement.js";
import { transactionLink } from "./transaction-link.js";

export interface SqlSettings {
  /** The Prisma client whose connections the link shares; inside of its transactions it is asked itself. */
  readonly client: object;
  readonly link: SqlLink;
  readonly models: Models;
  /** The database schema of models that name none. */
  readonly schema: string;
  /** How many bytes the rows of one response may have; no limit where it is not given. */
  readonly maxBytes?: number | undefined;
}

/**
 * How much larger the texts of PostgreSQL may be than the JSON of a response: related rows are lists within lists, whose quotes
 * are escaped once for each depth.
 */
const textsPerJson = 4;

/**
 * Reads with one SQL statement each. What the fold does not know is read by Prisma, whose answer is the same: types of
 * columns, operators and arguments that are none of those that a query of a client is made of.
 */
export function makeSqlReads(settings: SqlSettings): MakeReadExecutor {
  const { client: root, link } = settings;
  return (client) => {
    const prisma = prismaReads(client);
    if (client === root) return collated(readsOver(link, "unnamed", prisma, settings), withCollations(link, false));
    // A transaction reads what it writes, and that may be a row of any size.
    const own = readsOver(transactionLink(client, link.decimal), "named", prisma, { ...settings, maxBytes: undefined });
    const { findMany, findFirst, findUnique, count } = collated(own, withCollations(link, true));
    return { findMany, findFirst, findUnique, count };
  };
}

/** The same reads, which know the collations of columns where that matters. */
function collated(reads: ReadExecutor, read: ReturnType<typeof withCollations>): ReadExecutor {
  return {
    ...reads,
    findMany: (model, args) => read(() => reads.findMany(model, args)),
    findFirst: (model, args) => read(() => reads.findFirst(model, args)),
    count: (model, args) => read(() => reads.count(model, args)),
    listJson: (model, ...given) => {
      const work = reads.listJson?.(model, ...given);
      // What was folded before the collations were known is folded anew.
      return work && (() => read(work, () => (reads.listJson?.(model, ...given) ?? work)()));
    },
  };
}

function readsOver(
  given: SqlLink,
  form: RowForm,
  prisma: ReadExecutor,
  { link: root, models, schema, maxBytes }: SqlSettings,
): ReadExecutor {
  const link = maxBytes === undefined ? given : boundedLink(given, maxBytes * textsPerJson);
  /** `undefined` where Prisma must read. */
  const ifFoldable = <T>(write: () => T): T | undefined => {
    if (!link.isOpen()) return undefined;
    try {
      return write();
    } catch (error) {
      if (error !== notFoldable) throw error;
      return undefined;
    }
  };
  const open = (): Statement => new Statement(models, schema, form, collationsOf(root));
  const fold = <T>(write: (statement: Statement) => T): { statement: Statement; written: T } | undefined =>
    ifFoldable(() => {
      const statement = open();
      return { statement, written: write(statement) };
    });
  /** Row by row, where the link can: many rows are much more as texts of columns than as what becomes of them. */
  const readEach: NonNullable<SqlLink["queryEach"]> = async (sql, values, take) => {
    if (link.queryEach !== undefined) return link.queryEach(sql, values, take);
    for (const row of await link.query(sql, values)) take(row);
  };
  const keyed = new KeyedReads(open);
  const readKeyed = readTogether(link);
  /** Runs a read whose rows become one response. */
  const bounded = async <T>(read: () => Promise<T>, mayFit = Number.POSITIVE_INFINITY): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      if (maxBytes === undefined || !(error instanceof ResultTooLarge)) throw error;
      throw responseTooLarge(maxBytes, error.rows < mayFit ? error.rows : 0);
    }
  };
  const count = async (model: Model, args: object): Promise<number | undefined> => {
    const folded = fold((statement) => countSql(statement, model, args));
    if (folded === undefined) return undefined;
    const [row] = await link.query(folded.written, folded.statement.values);
    return Number(row?.[0]);
  };

  return {
    findMany: async (model, args) => {
      const folded = fold((statement) => listSql(statement, model, args, undefined));
      if (folded === undefined) return prisma.findMany(model, args);
      const { sql, shape } = folded.written;
      const rows = await bounded(() => link.query(sql, folded.statement.values), args.take);
      return rows.map((row) => rowToValues(shape, row, link.decimal));
    },
    findFirst: async (model, args) => {
      const folded = fold((statement) => listSql(statement, model, { ...args, take: 1 }, undefined));
      if (folded === undefined) return prisma.findFirst(model, args);
      const { sql, shape } = folded.written;
      const [row] = await bounded(() => link.query(sql, folded.statement.values));
      return row === undefined ? null : rowToValues(shape, row, link.decimal);
    },
    findUnique: async (model, args) => {
      const read = ifFoldable(() => keyed.fold(model, args));
      if (read === undefined) return prisma.findUnique(model, args);
      const { statement, key } = read;
      const [row] = await bounded(() => link.query(statement.alone, [...statement.shared, ...key]));
      return row === undefined ? null : rowToValues(statement.shape, row, link.decimal);
    },
    count: async (model, args) => (await count(model, args)) ?? prisma.count(model, args),
    listJson: (model, args, seen, { total, shown }) => {
      const { take, skip = 0 } = args;
      if (total !== undefined && take === undefined) return undefined;
      const folded = fold((statement) => listSql(statement, model, args, seen, total));
      if (folded === undefined) return undefined;
      const { sql, shape } = folded.written;
      return async () => {
        const rows = new JsonRows(shape, { shown, maxBytes });
        let counted: string | null | undefined;
        const list = await bounded(async () => {
          await readEach(sql, folded.statement.values, (row) => {
            if (total !== undefined) counted = row.at(-1);
            rows.add(row);
          });
          return rows.end();
        }, shown ?? take);
        if (total === undefined) return { ...list, total: undefined };
        if (typeof counted === "string") return { ...list, total: Number(counted) };
        if (countsItself(args, total) && (list.found > 0 || skip === 0)) return { ...list, total: skip + list.found };
        return { ...list, total: (await count(model, total)) ?? (await prisma.count(model, total)) };
      };
    },
    oneJson: (model, args, seen) => {
      const read = ifFoldable(() => keyed.fold(model, args, seen));
      if (read === undefined) return undefined;
      return async () => {
        return bounded(async () => {
          const row = await readKeyed(read);
          return row === undefined ? null : oneToJson(read.statement.shape, row, maxBytes);
        });
      };
    },
  };
}

/** A link whose statements end when their results are larger than a limit. */
const boundedLink = (link: SqlLink, maxBytes: number): SqlLink => {
  const { queryEach } = link;
  return {
    isOpen: () => link.isOpen(),
    query: (sql, values) => link.query(sql, values, maxBytes),
    ...(queryEach && { queryEach: (sql, values, take) => queryEach.call(link, sql, values, take, maxBytes) }),
    decimal: link.decimal,
  };
};
