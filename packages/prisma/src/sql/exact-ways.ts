import { isPlainObject } from "@servicekit/core/internal";
import { type MakeReadExecutor, prismaReads, type ReadExecutor } from "../database/read-executor.js";
import { saysMore } from "../database/says-more.js";
import { type MakeWriteExecutor, prismaWrites } from "../database/write-executor.js";
import { ormErrors } from "../errors/orm-errors.js";
import { isInexact } from "../inexact-field.js";
import { type Model, type Models } from "../model.js";
import { type Clause } from "../query-args.js";
import { collationsOf, isRefusedPattern } from "./collations.js";
import { makeSqlReads, type SqlSettings } from "./make-sql-reads.js";
import { makeSqlWrites } from "./make-sql-writes.js";

/** The fields that Prisma reads inexactly, as `Model.field`. */
export const inexactFields = (models: Models): readonly string[] =>
  [...models.values()].flatMap(({ name, fields }) => fields.filter(isInexact).map((field) => `${name}.${field.name}`));

/** Reads with Prisma, and with SQL what a row of Prisma cannot hold or its arguments cannot say. */
export const exactReads = (settings: SqlSettings): MakeReadExecutor => {
  const { client: root, link, models } = settings;
  const makeSql = makeSqlReads(settings);
  return (client) => {
    const prisma = prismaReads(client);
    const sql = makeSql(client);
    const isInside = client !== root;
    const collations = collationsOf(link);
    const readsOf = (model: Model, { select, where }: { readonly select?: Clause; readonly where?: Clause }) =>
      isInexactSelect(select, model, models) || saysMore(where) || hasZonedTimes(model) ? sql : prisma;
    /** Patterns that Prisma has no collation for: the SQL of its own is folded with one. */
    const orSql = async <T>(reads: ReadExecutor, read: (reads: ReadExecutor) => Promise<T>): Promise<T> => {
      try {
        return await read(collations.isKnown ? sql : reads);
      } catch (error) {
        if (reads === sql || collations.isKnown || !isRefusedPattern(error)) throw error;
        await collations.load(link);
        if (isInside) throw ormErrors.WriteConflict(undefined, { cause: error });
        return read(sql);
      }
    };
    return {
      findMany: (model, args) => orSql(readsOf(model, args), (reads) => reads.findMany(model, args)),
      findFirst: (model, args) => orSql(readsOf(model, args), (reads) => reads.findFirst(model, args)),
      findUnique: (model, args) => readsOf(model, args).findUnique(model, args),
      count: (model, args) =>
        orSql(saysMore(args.where) || hasZonedTimes(model) ? sql : prisma, (reads) => reads.count(model, args)),
    };
  };
};

/** The same for writes. */
export const exactWrites = (settings: SqlSettings): MakeWriteExecutor => {
  const { models } = settings;
  const makeSql = makeSqlWrites(settings);
  return (client) => {
    const prisma = prismaWrites(client);
    const sql = makeSql(client);
    const writesOf = (model: Model, ...clauses: readonly (Clause | undefined)[]) =>
      isInexactSelect(undefined, model, models) || clauses.some(saysMore) ? sql : prisma;
    return {
      create: (model, args) => writesOf(model, args.data).create(model, args),
      createMany: (model, args) => writesOf(model, ...args.data).createMany(model, args),
      update: (model, args) => writesOf(model, args.data, args.where).update(model, args),
      updateEach: (model, select) => writesOf(model).updateEach(model, select),
      delete: (model, args) => writesOf(model, args.where).delete(model, args),
    };
  };
};

function isInexactSelect(select: Clause | undefined, model: Model, models: Models): boolean {
  const names = select === undefined ? [...model.fieldsByName.keys()] : Object.keys(select);
  return names.some((name) => {
    const field = model.fieldsByName.get(name);
    if (field === undefined || field.kind === "unsupported") return false;
    if (field.kind !== "relation") return isInexact(field);
    const inner = select?.[name];
    const target = models.get(field.type);
    return isPlainObject(inner) && target !== undefined && isInexactSelect(inner.select as Clause, target, models);
  });
}

/** Prisma compares times of day without their zones. */
const hasZonedTimes = ({ fields }: Model): boolean =>
  fields.some((field) => field.kind === "scalar" && field.nativeType?.name === "Timetz");
