import { type PrismaClientLike, queryRaw } from "../database/prisma-client-like.js";
import type { Model, Models } from "../models/model.js";
import type { ReadArgs } from "../queries/query-args.js";
import { notFoldable } from "./not-foldable.js";
import { type PlanNode, planSql, readPlan } from "./read-plan.js";
import { Statement } from "./statement.js";

/** What a query needs of an index, and does not find. */
export interface PlanGaps {
  /** Whether no index narrows down the rows of the model. */
  readonly filter: boolean;
  /** Whether no index returns the rows in a part of their order. */
  readonly order: boolean;
}

/**
 * Returns what no index supports of a list, even if all rows had to be read otherwise; `undefined` if SQL cannot express the query.
 */
export type FindPlanGaps = (model: Model, args: Pick<ReadArgs, "where" | "orderBy">) => Promise<PlanGaps | undefined>;

/** The database of {@link makeGapFinder}. */
export interface GapFinderSettings {
  readonly client: PrismaClientLike;
  readonly models: Models;
  /** The database schema of models without one. */
  readonly schema: string;
}

/** Creates {@link FindPlanGaps} for PostgreSQL. */
export function makeGapFinder({ client, models, schema }: GapFinderSettings): FindPlanGaps {
  return async (given, args) => {
    const model = models.get(given.name);
    const compiled = model && compile(model);
    if (model === undefined || compiled === undefined) return undefined;
    const { sql, values } = compiled;
    const { rows, leading } = await client.$transaction(async (transaction) => {
      // Small tables are read sequentially, whatever indexes they have.
      await queryRaw(transaction, "SELECT set_config('enable_seqscan', 'off', true)", []);
      const [row] = await queryRaw(transaction, sql, values);
      const nodes = nodesOf(readPlan(row?.["QUERY PLAN"]));
      return { rows: nodes, leading: await queryRaw(transaction, leadingSql, [namesOfIndexes(nodes)]) };
    });
    const first = new Map(leading.map(({ index, column }) => [index, String(column)]));
    // Only the first column of an index narrows down what is read of it.
    const isNarrow = ({ node, alias }: Placed): boolean =>
      new RegExp(`^${compiled.alias}(_\\d+)?$`).test(alias) &&
      isNamedIn(first.get(node["Index Name"]), node["Index Cond"]);
    return { filter: !rows.some(isNarrow), order: rows.some(({ node }) => node["Node Type"] === "Sort") };

    function compile(of: Model): Compiled | undefined {
      try {
        const statement = new Statement(models, schema);
        const { sql, alias } = planSql(statement, of, args);
        return { sql, values: statement.values, alias };
      } catch (error) {
        if (error !== notFoldable) throw error;
        return undefined;
      }
    }
  };
}

interface Compiled {
  readonly sql: string;
  readonly values: readonly unknown[];
  /** The alias of the table of the model. */
  readonly alias: string;
}

/** A node, and the alias of the table that it reads. */
interface Placed {
  readonly node: PlanNode;
  readonly alias: string;
}

const nodesOf = (node: PlanNode, above = ""): readonly Placed[] => {
  const alias = node.Alias ?? above;
  return [{ node, alias }, ...(node.Plans ?? []).flatMap((one) => nodesOf(one, alias))];
};

const namesOfIndexes = (nodes: readonly Placed[]): readonly string[] =>
  nodes.flatMap(({ node }) => node["Index Name"] ?? []);

/** The first column of indexes. Equal names of indexes in other schemas do not matter for a hint. */
const leadingSql = `SELECT c.relname AS index, pg_get_indexdef(i.indexrelid, 1, true) AS column
  FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid WHERE c.relname = ANY($1::text[])`;

/** Whether a condition contains a column, as PostgreSQL writes it. */
function isNamedIn(column: string | undefined, condition = ""): boolean {
  if (column === undefined) return false;
  const pattern = column.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");
  return new RegExp(`(^|[^\\w"])${pattern}($|[^\\w"])`).test(condition);
}
