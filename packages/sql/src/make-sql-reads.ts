import {
  type MakeReadExecutor,
  type Model,
  type Models,
  prismaReads,
  type ReadExecutor,
  type SqlLink,
} from "@servicekit/orm";
import { rowToJson } from "./column-text.js";
import { rowToValues } from "./column-value.js";
import { JsonRows } from "./json-rows.js";
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
}

/**
 * Reads with one SQL statement each. What the fold does not know is read by Prisma, whose answer is the same: types of
 * columns, operators and arguments that are none of those that a query of a client is made of.
 */
export function makeSqlReads(settings: SqlSettings): MakeReadExecutor {
  const { client: root, link } = settings;
  return (client) => {
    const prisma = prismaReads(client);
    if (client === root) return readsOver(link, "unnamed", prisma, settings);
    const own = readsOver(transactionLink(client, link.decimal), "named", prisma, settings);
    const { findMany, findFirst, findUnique, count } = own;
    return { findMany, findFirst, findUnique, count };
  };
}

function readsOver(link: SqlLink, form: RowForm, prisma: ReadExecutor, { models, schema }: SqlSettings): ReadExecutor {
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
  const open = (): Statement => new Statement(models, schema, form);
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
      const rows = await link.query(sql, folded.statement.values);
      return rows.map((row) => rowToValues(shape, row, link.decimal));
    },
    findFirst: async (model, args) => {
      const folded = fold((statement) => listSql(statement, model, { ...args, take: 1 }, undefined));
      if (folded === undefined) return prisma.findFirst(model, args);
      const { sql, shape } = folded.written;
      const [row] = await link.query(sql, folded.statement.values);
      return row === undefined ? null : rowToValues(shape, row, link.decimal);
    },
    findUnique: async (model, args) => {
      const read = ifFoldable(() => keyed.fold(model, args));
      if (read === undefined) return prisma.findUnique(model, args);
      const { statement, key } = read;
      const [row] = await link.query(statement.alone, [...statement.shared, ...key]);
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
        const rows = new JsonRows(shape, shown);
        let counted: string | null | undefined;
        await readEach(sql, folded.statement.values, (row) => {
          if (total !== undefined) counted = row.at(-1);
          rows.add(row);
        });
        const list = rows.end();
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
        const row = await readKeyed(read);
        return row === undefined ? null : rowToJson(read.statement.shape, row);
      };
    },
  };
}
