import { type SeenModels } from "../database/read-executor.js";
import {
  type MakeWriteExecutor,
  type RunChanges,
  type WriteExecutor,
  type WrittenJson,
} from "../database/write-executor.js";
import { writtenTooLarge } from "../errors/response-too-large.js";
import { type Model } from "../model.js";
import { type Clause, type CreateManyArgs, type Row } from "../query-args.js";
import { type SqlLink, type TextRow } from "../sql-link.js";
import { collationsOf } from "./collations.js";
import { rowToJson } from "./column-text.js";
import { rowToValues } from "./column-value.js";
import { type FoldedWrite, KeptWrites } from "./kept-writes.js";
import { loadMakers } from "./made-value.js";
import type { SqlSettings } from "./make-sql-reads.js";
import { changedRows, insertManySql, isTooLarge } from "./many-statement.js";
import { notFoldable } from "./not-foldable.js";
import type { Shape } from "./shape.js";
import { type RowForm, Statement } from "./statement.js";
import { transactionLink } from "./transaction-link.js";

/**
 * Writes with one SQL statement each. What the fold does not know is written by Prisma, whose rows, answer and error are the
 * same: relations in the data, types of columns, defaults that only Prisma makes.
 */
export function makeSqlWrites(settings: SqlSettings): MakeWriteExecutor {
  const { client: root, link, models, maxBytes } = settings;
  // Where that fails, Prisma goes on to make these ids.
  loadMakers(models).catch(() => undefined);
  const kept = {
    unnamed: new KeptWrites(opener(settings, "unnamed")),
    named: new KeptWrites(opener(settings, "named")),
  };
  return (client) =>
    client === root
      ? writesOver(link, kept.unnamed, opener(settings, "unnamed"), maxBytes)
      : writesOver(transactionLink(client, link.decimal), kept.named, opener(settings, "named"), maxBytes);
}

const opener =
  ({ models, schema, link }: SqlSettings, form: RowForm) =>
  (): Statement =>
    new Statement(models, schema, form, collationsOf(link));

function writesOver(
  link: SqlLink,
  kept: KeptWrites,
  open: () => Statement,
  maxBytes: number | undefined,
): WriteExecutor {
  /** `undefined` where Prisma must write. */
  const ifFoldable = <Folded>(fold: () => Folded): Folded | undefined => {
    if (!link.isOpen()) return undefined;
    try {
      return fold();
    } catch (error) {
      if (error !== notFoldable) throw error;
      return undefined;
    }
  };
  const fold = <Folded>(write: (statement: Statement) => Folded): { told: Folded; values: unknown[] } | undefined =>
    ifFoldable(() => {
      const statement = open();
      return { told: write(statement), values: statement.values };
    });
  const ask = async (model: Model, sql: string, values: readonly unknown[]): Promise<readonly TextRow[]> => {
    try {
      return await link.query(sql, values);
    } catch (error) {
      if (maxBytes !== undefined && isTooLarge(error)) throw writtenTooLarge(maxBytes);
      throw ofModel(error, model);
    }
  };
  const askOne = async (model: Model, { statement, values }: FoldedWrite): Promise<TextRow | undefined> =>
    (await ask(model, statement.sql, values))[0];
  const writeOne = (model: Model, write: () => FoldedWrite) => {
    const folded = ifFoldable(write);
    if (folded === undefined) return undefined;
    return async (): Promise<Row | undefined> => {
      const row = await askOne(model, folded);
      return row && rowToValues(folded.statement.shape, row, link.decimal);
    };
  };
  /** Tells the JSON of the row, and makes no value of it but those of its key. */
  const writeJson = (model: Model, select: Clause | undefined, seen: SeenModels, write: () => FoldedWrite) => {
    const folded = ifFoldable(() => {
      const written = write();
      return { ...written, shapes: kept.shapesOf(model, select, written.statement, seen.model) };
    });
    if (folded === undefined) return undefined;
    const { json, key } = folded.shapes;
    return async (): Promise<WrittenJson | undefined> => {
      const row = await askOne(model, folded);
      return row && { json: rowToJson(json, row), key: rowToValues(key, row, link.decimal) };
    };
  };
  const writeMany = async <Told>(
    model: Model,
    sql: string,
    values: readonly unknown[],
    tell: (row: TextRow) => Told,
  ): Promise<readonly Told[]> => {
    const [row] = await ask(model, sql, values);
    return (JSON.parse(row?.[0] ?? "[]") as readonly TextRow[]).map(tell);
  };
  const toRow = (shape: Shape) => (row: TextRow) => rowToValues(shape, row, link.decimal);
  const toJson = (shape: Shape) => (row: TextRow) => rowToJson(shape, row);
  const createMany = <Told>(
    model: Model,
    args: CreateManyArgs,
    toTell: (shape: Shape) => (row: TextRow) => Told,
    seen?: SeenModels,
  ) => {
    const folded = fold((statement) => insertManySql(statement, model, args, new Date(), { seen, maxBytes }));
    if (folded === undefined) return undefined;
    const { told, values } = folded;
    return () => writeMany(model, told.sql, values, toTell(told.shape));
  };
  const updateEach = <Told>(
    model: Model,
    select: Clause,
    toTell: (shape: Shape) => (row: TextRow) => Told,
    seen?: SeenModels,
  ): RunChanges<Told> | undefined => {
    const folded = fold((statement) => changedRows(statement, model, select, { seen, maxBytes }));
    return (
      folded && ((update, values) => writeMany(model, folded.told.toSql(update), values, toTell(folded.told.shape)))
    );
  };
  return {
    create: (model, args) => writeOne(model, () => kept.create(model, args, new Date())),
    createJson: (model, args, seen) => writeJson(model, args.select, seen, () => kept.create(model, args, new Date())),
    createMany: (model, args) => createMany(model, args, toRow),
    createManyJson: (model, args, seen) => createMany(model, args, toJson, seen),
    update: (model, args) => writeOne(model, () => kept.update(model, args, new Date())),
    updateJson: (model, args, seen) => writeJson(model, args.select, seen, () => kept.update(model, args, new Date())),
    updateEach: (model, select) => updateEach(model, select, toRow),
    updateEachJson: (model, select, seen) => updateEach(model, select, toJson, seen),
    delete: (model, args) => writeOne(model, () => kept.delete(model, args)),
  };
}

/** Tells of an error of the driver, as Prisma does, which model was written. */
function ofModel(error: unknown, { name }: Model): unknown {
  if (!(error instanceof Error)) return error;
  const { meta } = error as Error & { readonly meta?: object };
  if (error.name !== "DriverAdapterError" && meta === undefined) return error;
  return Object.assign(error, { meta: { ...meta, modelName: name } });
}
