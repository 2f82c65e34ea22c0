import { rowsWhere } from "../conditions/rows-where.js";
import { ormErrors } from "../errors/orm-errors.js";
import type { Model, Models, StoredField } from "../models/model.js";
import type { Clause, Row } from "../queries/query-args.js";
import { lockMysqlRows } from "./lock-mysql-rows.js";
import { makeHandles } from "./make-handles.js";
import { namesRelation } from "./names-relation.js";
import { portableArguments, withJsonDefaults } from "./portable-arguments.js";
import {
  callPrisma,
  type PrismaClientLike,
  type PrismaHandle,
  type PrismaMethod,
  queryRaw,
} from "./prisma-client-like.js";
import { keyFields, keyText, keyWhere } from "./row-key.js";

/** Node's maximum timer, in milliseconds: the limits are those of the statements. */
const unlimited = { maxWait: 2 ** 31 - 1, timeout: 2 ** 31 - 1 };

/**
 * Turns clients of MySQL, also those of transactions, into clients that take the arguments of a client of PostgreSQL, with
 * the same meaning. MySQL returns no written rows: bulk writes read them again, in the same transaction, and a delete, or
 * an update with other conditions than its key, locks the row first, so that it does not report a write that did not
 * happen. A write does not read its own table: rows that are found through relations are written by their keys. The
 * adapter is that of `makeMysqlAdapter`.
 */
export const makeMysqlHandles = (models: Models): ((client: PrismaHandle) => PrismaHandle) =>
  makeHandles(models, (client, model, method, args) => {
    const given = portableArguments(method.startsWith("create") ? withJsonDefaults(args, model) : args, model, models);
    const call = (inside: PrismaHandle, to: PrismaMethod, of: object) => callPrisma(inside, model.delegate, to, of);
    switch (method) {
      case "createManyAndReturn":
        return inTransaction(client, (inside) => createMany({ client: inside, model, call }, given));
      case "updateManyAndReturn":
        return inTransaction(client, (inside) => updateMany({ client: inside, model, call }, given));
      case "update":
      case "delete":
        if (model.key === undefined || (method === "update" && isKey(model, given.where as Clause)))
          return call(client, method, given);
        return inTransaction(client, async (inside) => {
          const [key] = await lockMatching({ client: inside, model, call }, given.where as Clause);
          if (key === undefined) throw ormErrors.NotFound();
          return call(inside, method, { ...given, where: keyWhere(model, key) });
        });
      case "deleteMany":
        if (model.key === undefined || !namesRelation(given.where, model)) return call(client, method, given);
        return inTransaction(client, (inside) => deleteMany({ client: inside, model, call }, given.where as Clause));
      default:
        return call(client, method, given);
    }
  });

interface Writer {
  readonly client: PrismaHandle;
  readonly model: Model;
  readonly call: (client: PrismaHandle, method: PrismaMethod, args: object) => Promise<unknown>;
}

/** Runs the work in a transaction, unless the client is that of one. */
function inTransaction<T>(client: PrismaHandle, work: (client: PrismaHandle) => Promise<T>): Promise<T> {
  const isRoot = typeof Reflect.get(client, "$disconnect") === "function";
  return isRoot ? (client as PrismaClientLike).$transaction(work, unlimited) : work(client);
}

/** Whether a condition consists of a key. */
function isKey({ uniqueKeys }: Model, where: Clause): boolean {
  const [only, ...others] = Object.keys(where);
  return others.length === 0 && uniqueKeys.some(({ name, fields }) => name === only && fields.every(isRequired));
}

const isRequired = (field: StoredField): boolean => field.isRequired;

const selectionOf = (fields: readonly StoredField[]): Clause =>
  Object.fromEntries(fields.map(({ name }) => [name, true]));

async function createMany(writer: Writer, args: Clause): Promise<readonly Row[]> {
  const { client, model, call } = writer;
  const { data } = args;
  const select = args.select as Clause | undefined;
  const rows = data as readonly Clause[];
  if (rows.length === 0) return [];
  const key = model.key?.fields ?? [];
  const [only] = key;
  const isGiven = key.length > 0 && rows.every((row) => key.every(({ name }) => Object.hasOwn(row, name)));
  const isCounted = only !== undefined && key.length === 1 && rows.every((row) => !Object.hasOwn(row, only.name));
  if (isGiven || (isCounted && hasCounter(only))) {
    await call(client, "createMany", { data: rows });
    const keys = isGiven ? rows : await countedKeys(client, only as StoredField, rows.length);
    return readBack(writer, keys, select);
  }
  const created: Row[] = [];
  for (const row of rows) created.push((await call(client, "create", { data: row, ...(select && { select }) })) as Row);
  return created;
}

const hasCounter = ({ default: from }: StoredField): boolean =>
  from !== undefined && "function" in from && from.function === "autoincrement";

/** The keys that the server has counted up for the rows of the last statement: it reserves them together. */
async function countedKeys(client: PrismaHandle, { name, type }: StoredField, count: number): Promise<readonly Row[]> {
  const sql = "SELECT LAST_INSERT_ID() AS first, @@auto_increment_increment AS step";
  const [row] = (await queryRaw(client, sql, [])) as readonly { readonly first: unknown; readonly step: unknown }[];
  const first = BigInt(String(row?.first));
  const step = BigInt(String(row?.step));
  return Array.from({ length: count }, (_, index) => {
    const id = first + BigInt(index) * step;
    return { [name]: type === "BigInt" ? id : Number(id) };
  });
}

/** Reads rows by their keys, in this order. */
async function readBack(
  { client, model, call }: Writer,
  keys: readonly Row[],
  select: Clause | undefined,
): Promise<readonly Row[]> {
  const fields = keyFields(model);
  const where = rowsWhere(
    fields.map(({ name }) => name),
    keys,
  );
  const selection = select && { ...select, ...selectionOf(fields) };
  const found = (await call(client, "findMany", { where, ...(selection && { select: selection }) })) as readonly Row[];
  const byKey = new Map(found.map((row) => [keyText(fields, row), row]));
  const rows = keys.flatMap((key): Row | readonly Row[] => byKey.get(keyText(fields, key)) ?? []);
  if (rows.length < keys.length) throw ormErrors.DatabaseError("A written row cannot be read again.");
  return rows;
}

async function updateMany(writer: Writer, { where, data, select }: Clause): Promise<readonly Row[]> {
  const { client, model, call } = writer;
  const keys = await lockMatching(writer, where as Clause);
  if (keys.length === 0) return [];
  const names = keyFields(model).map(({ name }) => name);
  if (names.some((name) => Object.hasOwn(data as Row, name))) return updateKeys(writer, keys, { data, select });
  await call(client, "updateMany", { where: rowsWhere(names, keys), data });
  return readBack(writer, keys, select as Clause);
}

async function deleteMany(writer: Writer, where: Clause): Promise<unknown> {
  const { client, model, call } = writer;
  const names = keyFields(model).map(({ name }) => name);
  return call(client, "deleteMany", { where: rowsWhere(names, await lockMatching(writer, where)) });
}

/** Updates rows one by one: only Prisma computes the new key of an operation such as `increment`. */
async function updateKeys(
  { client, model, call }: Writer,
  keys: readonly Row[],
  args: Clause,
): Promise<readonly Row[]> {
  const updated: Row[] = [];
  for (const key of keys) updated.push((await call(client, "update", { ...args, where: keyWhere(model, key) })) as Row);
  return updated;
}

/** Locks the rows of a condition, and returns the keys of those that match it then. */
async function lockMatching({ client, model, call }: Writer, where: Clause): Promise<readonly Row[]> {
  const fields = keyFields(model);
  const select = selectionOf(fields);
  const found = (await call(client, "findMany", { where: asFilter(model, where), select })) as readonly Row[];
  if (found.length === 0) return [];
  await lockMysqlRows(client, model, found);
  const names = fields.map(({ name }) => name);
  const both = { AND: [rowsWhere(names, found), asFilter(model, where)] };
  return (await call(client, "findMany", { where: both, select })) as readonly Row[];
}

/** A condition with a key of several fields, such as `{ a_b: { a: 1, b: 2 } }`, as one of fields. */
const asFilter = ({ uniqueKeys }: Model, where: Clause): Clause =>
  Object.fromEntries(
    Object.entries(where).flatMap(([name, value]) => {
      const key = uniqueKeys.find((one) => one.name === name && one.fields.length > 1);
      return key === undefined ? [[name, value]] : Object.entries(value as Clause);
    }),
  );
