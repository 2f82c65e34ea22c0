import { isPlainObject } from "@servicekit/core/internal";
import { readFailure } from "../errors/database-failure.js";
import { isStored } from "../models/is-stored.js";
import type { Model, Models, RelationField } from "../models/model.js";
import type { Row } from "../queries/query-args.js";
import { makeHandles } from "./make-handles.js";
import { portableArguments, withJsonDefaults } from "./portable-arguments.js";
import { callPrisma, type PrismaHandle } from "./prisma-client-like.js";

/**
 * Turns clients of SQLite, also those of transactions, into clients that take the arguments of a client of PostgreSQL, with
 * the same meaning. An error of a foreign key names its columns. The adapter is that of `makeSqliteAdapter`.
 */
export const makeSqliteHandles = (models: Models): ((client: PrismaHandle) => PrismaHandle) =>
  makeHandles(models, async (client, model, method, args) => {
    const given = portableArguments(method.startsWith("create") ? withJsonDefaults(args, model) : args, model, models);
    try {
      return await callPrisma(client, model.delegate, method, given);
    } catch (error) {
      if (Object.hasOwn(given, "data")) await nameForeignKey(error, given.data, client, model, models);
      throw error;
    }
  });

/** Adds the columns of the violated foreign key to an error of SQLite, which names none. */
async function nameForeignKey(
  error: unknown,
  data: unknown,
  client: PrismaHandle,
  model: Model,
  models: Models,
): Promise<void> {
  if (readFailure(error)?.code !== "P2003") return;
  const { meta } = error as { readonly meta?: { readonly driverAdapterError?: { cause?: { constraint?: unknown } } } };
  const cause = meta?.driverAdapterError?.cause;
  if (cause === undefined) return;
  const rows = (Array.isArray(data) ? data : [data]).filter(isPlainObject);
  for (const field of model.fields) {
    if (field.kind !== "relation" || field.relation.fields.length === 0) continue;
    const related = models.get(field.type);
    for (const row of rows) {
      if (related === undefined || !(await isMissing(row, field, related, client))) continue;
      const columns = field.relation.fields.flatMap((name) => columnOf(model, name));
      cause.constraint = { fields: columns };
      return;
    }
  }
}

const columnOf = (model: Model, name: string): readonly string[] => {
  const field = model.fieldsByName.get(name);
  return isStored(field) ? [field.column] : [];
};

/** Whether a row that the write references does not exist. */
async function isMissing(row: Row, { relation }: RelationField, related: Model, client: PrismaHandle) {
  const { fields, references } = relation;
  const values = fields.map((name) => row[name]);
  if (values.some((value) => value === null || value === undefined || isPlainObject(value))) return false;
  const where = Object.fromEntries(references.map((name, index) => [name, values[index]]));
  return (await callPrisma(client, related.delegate, "count", { where })) === 0;
}
