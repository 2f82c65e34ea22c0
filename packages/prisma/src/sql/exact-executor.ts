import { httpErrors } from "@servicekit/core";
import { isPlainObject } from "@servicekit/core/internal";
import { makeComparesComputed } from "../database/compares-computed.js";
import { isRead, type MakeExecutor, type Query, type Result } from "../database/executor.js";
import { isUnrepresentable, isUnrepresentableFilter } from "../database/is-unrepresentable.js";
import { prismaAggregateReason } from "../database/prisma-aggregate.js";
import { executeSql } from "../database/prisma-client-like.js";
import { prismaExecutor } from "../database/prisma-executor.js";
import { searchOf } from "../database/search-by-keys.js";
import { ormErrors } from "../errors/orm-errors.js";
import { isInexact } from "../models/inexact-field.js";
import type { Model, Models } from "../models/model.js";
import type { Clause } from "../queries/query-args.js";
import { collationsOf, isRejectedPattern } from "./collations.js";
import { type SqlSettings, sqlExecutor } from "./sql-executor.js";

/** The fields that Prisma reads inexactly, as `Model.field`. */
export const inexactFields = (models: Models): readonly string[] =>
  [...models.values()].flatMap(({ name, fields }) => fields.filter(isInexact).map((field) => `${name}.${field.name}`));

/**
 * Runs queries on Prisma Client, and by SQL those whose values a row or the arguments of Prisma Client cannot represent.
 *
 * @param isWriting whether SQL may write
 */
export function exactExecutor(settings: SqlSettings, isWriting: boolean): MakeExecutor {
  const { client: root, link, models } = settings;
  const makeSql = sqlExecutor(settings);
  const collations = collationsOf(link);
  const comparesComputed = makeComparesComputed(models);
  return (client) => {
    const prisma = prismaExecutor(client);
    const sql = makeSql(client);
    const opened = (prepare: () => (() => Promise<Result>) | undefined) => {
      if (link.isOpen() || client !== root) return prepare();
      return async (): Promise<Result> => {
        // The link has no connections before the first query of Prisma Client.
        await executeSql(client, "SELECT 1", []);
        return (prepare() as () => Promise<Result>)();
      };
    };
    const bySqlOnly = (model: Model, query: Query) => opened(() => sql.prepare(model, query) ?? rejectComparison);
    return {
      prepare: (model, query) => {
        const byPrisma = prisma.prepare(model, query);
        if (searchOf(query) !== undefined) return sql.prepare(model, query);
        if (comparesComputed(model, query.args)) return bySqlOnly(model, query);
        if (query.operation === "aggregate" && prismaAggregateReason(model, query.args) !== undefined)
          return opened(() => sql.prepare(model, query) ?? byPrisma);
        if (isPrismaInexact(model, query, models))
          return (isWriting || isRead(query) ? sql.prepare(model, query) : undefined) ?? byPrisma;
        if (byPrisma === undefined || !isRead(query) || query.operation === "findUnique") return byPrisma;
        const bySql = (): (() => Promise<Result>) => sql.prepare(model, query) ?? byPrisma;
        return async () => {
          try {
            return await (collations.isKnown ? bySql() : byPrisma)();
          } catch (error) {
            // Prisma has no collation for patterns; the SQL that is compiled for known collations has one.
            if (collations.isKnown || !isRejectedPattern(error)) throw error;
            await collations.load(link);
            if (client !== root) throw ormErrors.WriteConflict(undefined, { cause: error });
            return bySql()();
          }
        };
      },
    };
  };
}

async function rejectComparison(): Promise<never> {
  const message = "A computed field cannot be combined with the other conditions of this query.";
  throw httpErrors.ValidationError(message, { errors: [{ in: "query", path: "", code: "Unsupported", message }] });
}

/** Whether Prisma Client cannot represent every value of a query or of its rows. */
function isPrismaInexact(model: Model, query: Query, models: Models): boolean {
  switch (query.operation) {
    case "findMany":
    case "findFirst":
    case "findUnique": {
      const { select, where } = query.args;
      return isInexactSelect(select, model, models) || isUnrepresentableFilter(where) || hasZonedTimes(model);
    }
    case "count":
    case "aggregate":
      return isUnrepresentableFilter(query.args.where) || hasZonedTimes(model);
    case "headline":
    case "estimate":
      return false;
    case "updateEach":
      return isInexactSelect(undefined, model, models);
    default: {
      const { where, data } = query.args as { readonly where?: Clause; readonly data?: unknown };
      return isInexactSelect(undefined, model, models) || isUnrepresentable(where) || isUnrepresentable(data);
    }
  }
}

function isInexactSelect(select: Clause | undefined, model: Model, models: Models): boolean {
  const names = select === undefined ? [...model.fieldsByName.keys()] : Object.keys(select);
  return names.some((name) => {
    const field = model.fieldsByName.get(name);
    if (field === undefined) return false;
    if (field.kind !== "relation") return isInexact(field);
    const inner = select?.[name];
    const target = models.get(field.type);
    return isPlainObject(inner) && target !== undefined && isInexactSelect(inner.select as Clause, target, models);
  });
}

/** Prisma compares times without their zones. */
const hasZonedTimes = ({ fields }: Model): boolean =>
  fields.some((field) => field.kind === "scalar" && field.nativeType?.name === "Timetz");
