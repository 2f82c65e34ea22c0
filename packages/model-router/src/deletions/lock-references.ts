import type { ValidationIssue } from "@servicekit/core";
import { isPlainObject } from "@servicekit/core/internal";
import type { Database, Delegate, Model, Models, RelationField } from "@servicekit/prisma";
import { isHidden, isStored, ormErrors, rowsWhere, toJsonField } from "@servicekit/prisma/internal";
import type { Where } from "../resource/filter/where.js";
import type { Row } from "../resource/values/to-json.js";
import { type AroundWrite, aroundWrites, type WriteQuery } from "../writes/around-writes.js";
import type { DeletionPlan, DeletionPlans } from "./deletion-plans.js";

/** Rows per statement. */
const batch = 1000;

/** A relation to rows of a model with soft delete. */
interface Reference {
  readonly relation: RelationField;
  readonly parent: DeletionPlan;
}

/** What a write sets in the rows of a model. */
interface WrittenData {
  readonly rows: readonly Row[];
  /** The condition of the updated rows; `undefined` for new ones. */
  readonly whereOf?: (index: number) => Where;
  /** Whether such a condition names one row by a unique key. */
  readonly isUnique?: boolean;
}

/**
 * The same database, whose writes of references to rows with soft delete lock these rows first, in the transaction of the
 * write: so no row is written below one that is deleted at the same time (contract C101). A write without such a
 * reference is unchanged.
 */
export function lockReferences(database: Database, plans: DeletionPlans): Database {
  const references = referencesTo(plans, database.models);
  return references.size === 0 ? database : wrap(database, { plans, references });
}

interface LockContext {
  readonly plans: DeletionPlans;
  /** By the name of the model that references. */
  readonly references: ReadonlyMap<string, readonly Reference[]>;
}

function referencesTo(plans: DeletionPlans, models: Models): LockContext["references"] {
  const entries = [...models.values()].map((model) => {
    const references = model.fields.flatMap((relation): Reference[] => {
      const parent = relation.kind === "relation" ? plans.get(relation.type) : undefined;
      return relation.kind === "relation" && parent !== undefined ? [{ relation, parent }] : [];
    });
    return [model.name, references] as const;
  });
  return new Map(entries.filter(([, references]) => references.length > 0));
}

function wrap(database: Database, context: LockContext): Database {
  const delegates = new Map<string, Delegate>();
  const locked = makeLockedRows(database);
  const wrapped: Database = {
    ...database,
    get reads() {
      return database.reads;
    },
    of: (model) => {
      const name = typeof model === "string" ? model : model.name;
      const plain = database.of(name);
      const references = context.references.get(name) ?? [];
      if (references.length === 0 && !context.plans.has(name)) return plain;
      const delegate = delegates.get(name) ?? lockingDelegate(plain, name, references, wrapped, locked);
      delegates.set(name, delegate);
      return delegate;
    },
    transaction: (work, options) =>
      database.inTransaction ? work(wrapped) : database.transaction((inside) => work(wrap(inside, context)), options),
  };
  return Object.freeze(wrapped);
}

/** The rows that a transaction has locked, so that it locks each of them once. */
interface LockedRows {
  /** @returns the values of rows that are deleted, or do not exist */
  lock(parent: DeletionPlan, rows: ReadonlyMap<string, Row>): Promise<ReadonlySet<string>>;
  /** Called before a write of rows of a model. */
  release(modelName: string): void;
}

function makeLockedRows(database: Database): LockedRows {
  const locked = new Map<string, Set<string>>();
  return {
    async lock(parent, rowsByText) {
      const { model, field } = parent;
      const texts = locked.get(model.name) ?? new Set<string>();
      locked.set(model.name, texts);
      const rows = [...rowsByText].filter(([text]) => !texts.has(text));
      const missing = new Set<string>();
      for (let start = 0; start < rows.length; start += batch) {
        const some = rows.slice(start, start + batch);
        const values = some.map(([, row]) => row);
        const count = await database.of(model).lockShared(values, { unset: field });
        // In the collation of a column, different texts may identify one row.
        if (count < some.length) for (const text of await findMissing(parent, some, database)) missing.add(text);
        for (const [text] of some) if (!missing.has(text)) texts.add(text);
      }
      return missing;
    },
    release: (name) => {
      locked.delete(name);
    },
  };
}

async function findMissing(
  { model, field }: DeletionPlan,
  rows: readonly (readonly [string, Row])[],
  database: Database,
): Promise<readonly string[]> {
  const names = Object.keys(rows[0]?.[1] ?? {});
  const select = Object.fromEntries(names.map((name) => [name, true as const]));
  const isPresent = { [field]: null };
  const where = {
    AND: [
      rowsWhere(
        names,
        rows.map(([, row]) => row),
      ),
      isPresent,
    ],
  };
  const delegate = database.of(model);
  const present = new Set((await delegate.findMany({ where, select })).map((row) => textOf(model, row)));
  const missing: string[] = [];
  for (const [text, row] of rows) {
    if (present.has(text)) continue;
    if ((await delegate.findFirst({ where: { AND: [row, isPresent] }, select })) === null) missing.push(text);
  }
  return missing;
}

/** One text for equal values. */
const textOf = (model: Model, row: Row): string =>
  JSON.stringify(
    Object.entries(row).map(([name, value]) => {
      const field = model.fieldsByName.get(name);
      return [name, isStored(field) ? toJsonField(field, value) : value];
    }),
  );

function lockingDelegate(
  plain: Delegate,
  name: string,
  references: readonly Reference[],
  database: Database,
  locked: LockedRows,
): Delegate {
  const model = database.models.get(name) as Model;
  /** Runs a write after the locks that it needs. */
  const write: AroundWrite = async (query, run, again) => {
    const data = dataOf(query);
    if (data === undefined) return run();
    locked.release(name);
    const named = references.filter((reference) => data.rows.some((row) => isNamed(reference, row)));
    if (named.length === 0) return run();
    if (!database.inTransaction) return database.transaction((inside) => again(inside.of(name)));
    const complete = await withCurrent(data, named, plain);
    await lockAll(named, complete, { model, locked, written: data.rows });
    return run();
  };
  return aroundWrites(plain, write);
}

function dataOf(query: WriteQuery): WrittenData | undefined {
  switch (query.operation) {
    case "create":
      return { rows: [query.args.data] };
    case "createMany":
      return { rows: query.args.data };
    case "update":
      return { rows: [query.args.data], whereOf: () => query.args.where, isUnique: true };
    case "updateMany":
      return { rows: [query.args.data], whereOf: () => query.args.where };
    case "updateEach":
      return {
        rows: query.args.changes.map(({ data }) => data),
        whereOf: (index) => query.args.changes[index]?.where ?? {},
        isUnique: true,
      };
    default:
      return undefined;
  }
}

const isNamed = ({ relation }: Reference, row: Row): boolean =>
  [relation.name, ...relation.relation.fields].some((name) => row[name] !== undefined);

/** The rows with the other fields of a foreign key of which a write sets a part. */
async function withCurrent(
  { rows, whereOf, isUnique = false }: WrittenData,
  references: readonly Reference[],
  plain: Delegate,
): Promise<readonly Row[]> {
  if (whereOf === undefined) return rows;
  const names = [...new Set(references.flatMap(({ relation }) => relation.relation.fields))];
  const select = Object.fromEntries(names.map((name) => [name, true as const]));
  const complete: Row[] = [];
  for (const [index, row] of rows.entries()) {
    const isPart = references.some(({ relation: { relation } }) => {
      const writtenNames = relation.fields.filter((name) => row[name] !== undefined);
      return writtenNames.length > 0 && writtenNames.length < relation.fields.length;
    });
    const where = whereOf(index);
    const current = !isPart
      ? [{}]
      : isUnique
        ? [(await plain.findUnique({ where, select })) ?? {}]
        : await plain.findMany({ where, select });
    complete.push(...current.map((values) => ({ ...values, ...row })));
  }
  return complete;
}

/** @throws {HttpError} 400 that names the fields of a reference to a deleted row */
async function lockAll(
  references: readonly Reference[],
  rows: readonly Row[],
  { model, locked, written }: { readonly model: Model; readonly locked: LockedRows; readonly written: readonly Row[] },
): Promise<void> {
  // In one order, so that two requests do not deadlock.
  const sorted = references.toSorted((one, other) => (one.parent.model.name < other.parent.model.name ? -1 : 1));
  for (const { relation, parent } of sorted) {
    const values = rows.flatMap((row) => referenced(relation, parent.model, row));
    if (values.length === 0) continue;
    const missing = await locked.lock(parent, new Map(values.map((row) => [textOf(parent.model, row), row])));
    if (missing.size > 0) throw notFound(relation, model, written);
  }
}

/** The values that identify the related rows of a row. */
function referenced({ relation, name }: RelationField, parent: Model, row: Row): readonly Row[] {
  const { fields, references } = relation;
  if (fields.length === 0) return connected(row[name], parent);
  const values = fields.map((field) => plainValue(row[field]));
  if (values.some((value) => value === undefined || value === null)) return [];
  return [Object.fromEntries(references.map((reference, index) => [reference, values[index]]))];
}

/** Without the form `{ set: value }` of Prisma. */
const plainValue = (value: unknown): unknown => (isPlainObject(value) && "set" in value ? value.set : value);

/** The keys of the rows that a write links. */
function connected(data: unknown, { key }: Model): readonly Row[] {
  if (!isPlainObject(data) || key === undefined) return [];
  const { connect = [] } = data as { readonly connect?: Row | readonly Row[] };
  return [connect].flat().map((where: Row) => (key.fields.length === 1 ? where : (where[key.name] as Row)));
}

/** The error of the database for a foreign key without a row. */
function notFound({ relation, name }: RelationField, model: Model, rows: readonly Row[]) {
  const cause = new Error(`${model.name}.${name} references a deleted row.`);
  const names = relation.fields.length === 0 ? [name] : relation.fields;
  const visible = names.filter((one) => {
    const field = model.fieldsByName.get(one);
    return field !== undefined && !isHidden(field) && rows.some((row) => row[one] !== undefined);
  });
  const message = "This record does not exist.";
  const errors = visible.map(
    (one): ValidationIssue => ({ in: "body", path: `/${one}`, code: "RelatedRecordNotFound", message }),
  );
  return ormErrors.RelatedRecordNotFound(undefined, errors.length === 0 ? { cause } : { cause, errors });
}
