import { ormErrors } from "../errors/orm-errors.js";
import type { Model } from "../models/model.js";
import type { Clause, CreateArgs, Row, Selection, UpdateArgs, UpdateManyArgs } from "../queries/query-args.js";
import type { RowChanged } from "./change-log.js";
import type { Delegate } from "./delegate.js";
import { executeByMethods } from "./execute-by-methods.js";
import { foundRows, isRead, type RecordedWrite, type Result, type SeenModels, writeKinds } from "./executor.js";
import type { RecordedModel, RecordedModels } from "./recorded-models.js";
import { keySelect, type RecordedRows, recordedRows } from "./recorded-rows.js";
import { changesSince, watchReferencing } from "./referencing-rows.js";
import { keyFields, keyValues } from "./row-key.js";

/** What the writes of a recorded model work with. */
export interface RecordedWrites {
  readonly recorded: RecordedModels;
  /** The rows of a model, in the same transaction. */
  readonly of: (model: Model | string) => Delegate;
  readonly isInside: boolean;
  /** Called when changes have been stored: inside a transaction before its commit, else after it. */
  readonly onStored: () => void;
  readonly inTransaction: <T>(work: (of: (model: Model) => Delegate) => Promise<T>) => Promise<T>;
}

/**
 * Writes that store their changes in the change log, in the same transaction. A row is locked before its state is
 * read, and the change is stored after the write: so the changes of one row are stored in the order in which they
 * happened.
 */
export function recordChanges(
  plain: Delegate,
  model: Model,
  { fields, select: recordedFields, withRecorded }: RecordedModel,
  { recorded, of, isInside, onStored, inTransaction }: RecordedWrites,
): Delegate {
  const { log } = recorded;
  const rows = recordedRows(plain, model, recordedFields);
  const store = async (changes: readonly RowChanged[]): Promise<void> => {
    await log.store(of, model, changes);
    if (changes.length > 0) onStored();
  };
  const inside = <T>(work: () => Promise<T>, again: (delegate: Delegate) => Promise<T>): Promise<T> =>
    isInside ? work() : inTransaction((own) => again(own(model)));

  /** The arguments of a write that returns the recorded fields; without `select` it returns all fields. */
  const complete = <Args extends Selection>({ omit: _, ...args }: Args): Omit<Args, "omit"> =>
    args.select === undefined ? args : { ...args, select: withRecorded(args.select) };
  /** The part of a written row that was selected. */
  const selected = (row: Row, { select, omit }: Selection): Row =>
    select === undefined && omit === undefined
      ? row
      : Object.fromEntries(
          Object.entries(row).filter(([name]) =>
            select === undefined ? omit?.[name] !== true : Object.hasOwn(select, name) && select[name] !== false,
          ),
        );

  const lockOne = (where: Clause): Promise<Row> => lockRow(plain, model, { rows, select: recordedFields, where });
  /** Deletes locked rows, and stores their changes and those of the rows that reference them. */
  const deleteLocked = async <T>(before: readonly Row[], work: () => Promise<T>): Promise<T> => {
    const storeReferencing = await watchReferencing(model, before, { recorded, of });
    const result = await work();
    // A trigger may have changed a row instead.
    await store(await changesSince(rows, before));
    await storeReferencing();
    return result;
  };

  const deletesAlone = recorded.dependents(model).length === 0;
  /** In one statement, with the JSON of the rows; `undefined` if the engine cannot do it. */
  const tryOnce = async (query: RecordedWrite, seen?: SeenModels): Promise<Result | undefined> => {
    if (writeKinds[query.operation] === "delete" && !deletesAlone) return undefined;
    const result = await plain.executeRecorded(query, { ...log.entry(model), fields }, seen);
    if (result !== undefined && (result.total ?? foundRows(result)) > 0) onStored();
    return result;
  };
  const rowsOf = (result: Result | undefined): readonly Row[] | undefined =>
    result !== undefined && "rows" in result ? result.rows : undefined;
  const rowOf = (result: Result | undefined): Row | undefined => rowsOf(result)?.[0];

  const create = async (args: CreateArgs): Promise<Row> => {
    const after = await plain.create(complete(args));
    await store([{ operation: "create", after }]);
    return selected(after, args);
  };
  const update = async (args: UpdateArgs): Promise<Row> => {
    const before = await lockOne(args.where);
    const after = await plain.update(complete(args));
    await store([{ operation: "update", before, after }]);
    return selected(after, args);
  };
  /** An update of their keys: only the updates of single rows return which row received which key. */
  const updateLocked = async (before: readonly Row[], given: UpdateManyArgs): Promise<readonly Row[]> => {
    const { everything: _, ...args } = given;
    const updated: Row[] = [];
    for (const row of before) updated.push(await plain.update({ ...complete(args), where: rows.whereOf(row) }));
    await store(before.map((row, index) => ({ operation: "update", before: row, after: updated[index] as Row })));
    return updated.map((row) => selected(row, args));
  };
  const delegate: Delegate = Object.freeze<Delegate>({
    ...plain,
    execute: async (query, seen) => {
      if (isRead(query)) return plain.execute(query, seen);
      return (await tryOnce(query, seen)) ?? executeByMethods(query, delegate) ?? plain.execute(query, seen);
    },
    create: async (args) =>
      rowOf(await tryOnce({ operation: "create", args })) ??
      inside(
        () => create(args),
        (own) => own.create(args),
      ),
    createMany: async (args) =>
      rowsOf(await tryOnce({ operation: "createMany", args })) ??
      inside(
        async () => {
          const created = await plain.createMany(complete(args));
          await store(created.map((after) => ({ operation: "create", after })));
          return created.map((row) => selected(row, args));
        },
        (own) => own.createMany(args),
      ),
    update: async (args) =>
      rowOf(await tryOnce({ operation: "update", args })) ??
      inside(
        () => update(args),
        (own) => own.update(args),
      ),
    updateMany: async (args) =>
      rowsOf(await tryOnce({ operation: "updateMany", args })) ??
      inside(
        async () => {
          const { where, data } = args;
          const before = await rows.lock(where, { forDelete: false });
          if (before.length === 0) return [];
          if (keyFields(model).some(({ name }) => Object.hasOwn(data, name))) return updateLocked(before, args);
          const updated = await plain.updateMany({ ...complete(args), where: rows.whereAll(before) });
          const after = rows.byKey(updated);
          await store(
            before.flatMap((row) => {
              const found = after.get(rows.textOf(row));
              return found === undefined ? [] : [{ operation: "update", before: row, after: found } as const];
            }),
          );
          return updated.map((row) => selected(row, args));
        },
        (own) => own.updateMany(args),
      ),
    updateEach: async (args) =>
      rowsOf(await tryOnce({ operation: "updateEach", args })) ??
      inside(
        async () => {
          const { changes, select } = args;
          const keys = changes.map(({ where }) => keyValues(model, where));
          const found = rows.byKey(await rows.lock(rows.whereAll(keys), { forDelete: false }));
          // A key may be spelled differently than the stored one, which only the database can compare. If a row is missing,
          // the update fails.
          const before =
            found.size < keys.length
              ? []
              : await Promise.all(keys.map(async (key) => found.get(rows.textOf(key)) ?? (await rows.read([key]))[0]));
          const updated = await plain.updateEach({ changes, select: withRecorded(select) });
          // A row that was missing when the others were locked was created meanwhile: a retry locks it too.
          if (before.length < updated.length) throw ormErrors.WriteConflict();
          await store(
            updated.flatMap((after, index) => {
              const row = before[index];
              return row === undefined ? [] : [{ operation: "update", before: row, after } as const];
            }),
          );
          return updated.map((row) => selected(row, args));
        },
        (own) => own.updateEach(args),
      ),
    delete: async (args) =>
      rowOf(await tryOnce({ operation: "delete", args })) ??
      inside(
        async () => deleteLocked([await lockOne(args.where)], () => plain.delete(args)),
        (own) => own.delete(args),
      ),
    deleteMany: async (args) =>
      (await tryOnce({ operation: "deleteMany", args }))?.total ??
      inside(
        async () => {
          const before = await rows.lock(args.where, { forDelete: true });
          if (before.length === 0) return 0;
          return deleteLocked(before, () => plain.deleteMany({ where: rows.whereAll(before) }));
        },
        (own) => own.deleteMany(args),
      ),
  });
  return delegate;
}

/**
 * Deletes of a model that is not recorded: they store the changes of the recorded rows that reference the deleted ones.
 * Nothing else differs, and a model without such references is returned as it is.
 */
export function recordReferencing(
  plain: Delegate,
  model: Model,
  { recorded, of, isInside, onStored, inTransaction }: RecordedWrites,
): Delegate {
  if (model.key === undefined || recorded.dependents(model).length === 0) return plain;
  const select = keySelect(model);
  const rows = recordedRows(plain, model, select);
  const inside = <T>(work: () => Promise<T>, again: (delegate: Delegate) => Promise<T>): Promise<T> =>
    isInside ? work() : inTransaction((own) => again(own(model)));
  const deleteLocked = async <T>(deleted: readonly Row[], work: () => Promise<T>): Promise<T> => {
    const storeReferencing = await watchReferencing(model, deleted, { recorded, of });
    const result = await work();
    await storeReferencing();
    onStored();
    return result;
  };
  const delegate: Delegate = Object.freeze<Delegate>({
    ...plain,
    execute: async (query, seen) =>
      query.operation === "delete" ? { rows: [await delegate.delete(query.args)] } : plain.execute(query, seen),
    delete: (args) =>
      inside(
        async () =>
          deleteLocked([await lockRow(plain, model, { rows, select, where: args.where })], () => plain.delete(args)),
        (own) => own.delete(args),
      ),
    deleteMany: (args) =>
      inside(
        async () => {
          const found = await rows.lock(args.where, { forDelete: true });
          if (found.length === 0) return 0;
          return deleteLocked(found, () => plain.deleteMany({ where: rows.whereAll(found) }));
        },
        (own) => own.deleteMany(args),
      ),
  });
  return delegate;
}

/** Locks a row, and reads it in its current state. @throws {HttpError} 404 if the row does not exist */
async function lockRow(
  plain: Delegate,
  model: Model,
  { rows, select, where }: { readonly rows: RecordedRows; readonly select: Clause; readonly where: Clause },
): Promise<Row> {
  const isKey = Object.hasOwn(where, model.key?.name ?? "");
  const found = isKey ? undefined : await plain.findUnique({ where, select });
  if (found === null || !(await plain.lock(found === undefined ? where : rows.whereOf(found))))
    throw ormErrors.NotFound();
  const row = await plain.findUnique({ where, select });
  if (row === null) throw ormErrors.NotFound();
  return row;
}
