import type { ReadQuery, Result, SeenModels } from "../database/executor.js";
import { ResultTooLarge, type SqlLink } from "../database/sql-link.js";
import { responseTooLarge } from "../errors/response-too-large.js";
import type { Model } from "../models/model.js";
import { headlineSql } from "../search/headline-sql.js";
import { aggregateSql } from "./aggregate-statement.js";
import { rowToValues } from "./column-value.js";
import { JsonRows, oneToJson } from "./json-rows.js";
import { KeyedReads } from "./keyed-statement.js";
import { planSql, readPlan } from "./read-plan.js";
import { countSql, listSql } from "./read-statement.js";
import { readTogether } from "./read-together.js";
import type { Statement } from "./statement.js";

/** Compiles a read to SQL and returns the function that sends it; throws `notFoldable` if SQL does not support it. */
export type CompileRead = (model: Model, query: ReadQuery, seen?: SeenModels) => () => Promise<Result>;

/**
 * How much larger PostgreSQL's texts may be than the JSON of a response: related rows are lists within lists, whose
 * quotes are escaped once per level.
 */
const textsPerJson = 4;

/** Compiles reads to one statement each. */
export function sqlReads(given: SqlLink, open: () => Statement, maxBytes: number | undefined): CompileRead {
  const link = maxBytes === undefined ? given : boundedLink(given, maxBytes * textsPerJson);
  const keyed = new KeyedReads(open);
  const readKeyed = readTogether(link);
  /** Row by row if the link supports it, because many rows are much larger as texts than as JSON. */
  const readEach: NonNullable<SqlLink["queryEach"]> = async (sql, values, take) => {
    if (link.queryEach !== undefined) return link.queryEach(sql, values, take);
    for (const row of await link.query(sql, values)) take(row);
  };
  /** Runs a read whose rows become one response. */
  const bounded = async <T>(read: () => Promise<T>, mayFit = Number.POSITIVE_INFINITY): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      if (maxBytes === undefined || !(error instanceof ResultTooLarge)) throw error;
      throw responseTooLarge(maxBytes, error.rows < mayFit ? error.rows : 0);
    }
  };
  const listRows = (model: Model, args: Extract<ReadQuery, { operation: "findMany" | "findFirst" }>["args"]) => {
    const statement = open();
    const { sql, shape } = listSql(statement, model, args, undefined);
    return async (): Promise<Result> => {
      const rows = await bounded(() => link.query(sql, statement.values), args.take);
      return { rows: rows.map((row) => rowToValues(shape, row, link.decimal)) };
    };
  };
  const listJson = (model: Model, query: Extract<ReadQuery, { operation: "findMany" }>, seen: SeenModels) => {
    const { args, shown } = query;
    // Only a page shows whether it contains the last rows.
    const total = args.take === undefined ? undefined : query.total;
    const statement = open();
    const { sql, shape } = listSql(statement, model, args, seen, total);
    return async (): Promise<Result> => {
      const rows = new JsonRows(shape, { shown, maxBytes });
      let counted: string | null | undefined;
      const list = await bounded(async () => {
        await readEach(sql, statement.values, (row) => {
          if (total !== undefined) counted = row.at(-1);
          rows.add(row);
        });
        return rows.end();
      }, shown ?? args.take);
      return { ...list, total: typeof counted === "string" ? Number(counted) : undefined };
    };
  };
  const aggregateJson = (model: Model, { args, shown }: Extract<ReadQuery, { operation: "aggregate" }>) => {
    const statement = open();
    const { sql, shape } = aggregateSql(statement, model, args);
    return (): Promise<Result> => {
      const rows = new JsonRows(shape, { shown, maxBytes });
      return bounded(async () => {
        await readEach(sql, statement.values, (row) => rows.add(row));
        return rows.end();
      }, shown);
    };
  };

  return (model, query, seen) => {
    switch (query.operation) {
      case "findMany":
        return seen === undefined ? listRows(model, query.args) : listJson(model, query, seen);
      case "findFirst":
        return listRows(model, { ...query.args, take: 1 });
      case "findUnique": {
        const read = keyed.fold(model, query.args, seen);
        const { shape, alone, shared } = read.statement;
        if (seen === undefined)
          return async () => {
            const rows = await bounded(() => link.query(alone, [...shared, ...read.key]));
            return { rows: rows.map((row) => rowToValues(shape, row, link.decimal)) };
          };
        return () =>
          bounded(async () => {
            const row = await readKeyed(read);
            if (row === undefined) return { json: "null", found: 0 };
            return { json: await oneToJson(shape, row, maxBytes), found: 1 };
          });
      }
      case "aggregate":
        return aggregateJson(model, query);
      case "headline": {
        const { sql, values } = headlineSql(query.args);
        return async () => ({ rows: (await link.query(sql, values)).map(([headline]) => ({ headline })) });
      }
      case "estimate": {
        const statement = open();
        const { sql } = planSql(statement, model, query.args);
        return async () => {
          const [row] = await link.query(sql, statement.values);
          return { rows: [], total: Math.round(readPlan(row?.[0])["Plan Rows"]) };
        };
      }
      case "count": {
        const statement = open();
        const sql = countSql(statement, model, query.args);
        return async () => {
          const [row] = await link.query(sql, statement.values);
          return { rows: [], total: Number(row?.[0]) };
        };
      }
    }
  };
}

/** A link whose statements are aborted if their results exceed a limit. */
const boundedLink = (link: SqlLink, maxBytes: number): SqlLink => {
  const { queryEach } = link;
  return {
    isOpen: () => link.isOpen(),
    query: (sql, values) => link.query(sql, values, maxBytes),
    ...(queryEach && { queryEach: (sql, values, take) => queryEach.call(link, sql, values, take, maxBytes) }),
    decimal: link.decimal,
  };
};
