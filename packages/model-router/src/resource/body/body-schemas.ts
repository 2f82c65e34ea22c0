import { isObject } from "@servicekit/core/internal";
import type { Model } from "@servicekit/prisma";
import { z } from "zod";
import { modelErrors } from "../errors.js";
import { keyWhere, readKey } from "../key.js";
import type { Resource } from "../resource.js";
import { fieldSchema } from "./field-schema.js";
import { fieldsNamed, fieldsOnly, keyOnly } from "./fields-only.js";
import { itemsInSlices } from "./items-in-slices.js";
import { isListInData, markAsInData } from "./list-in-data.js";
import { partialItem } from "./partial-item.js";
import { type PassOn, passOn, passOnLater } from "./pass-on.js";
import { makeRowSchema } from "./row-schema.js";
import type { RowPlace, SchemaSource } from "./schema-source.js";
import type { WritableModel, WritableModels } from "./writable-model.js";

/** Operations whose bodies a module can have a schema for. */
export type BodyOperation = "createOne" | "updateOne" | "createMany" | "updateMany";

/**
 * Puts the module's schema of one row, if it has one, before the derived one.
 *
 * @param names the settable fields of bodies
 * @param guard creates the derived schema, with nothing required
 * @param settled the fields that the place of a row in a body determines: the schema need not require them
 */
export type RowSchemas = (
  operation: BodyOperation,
  names: readonly string[],
  guard: () => z.ZodType,
  settled?: ReadonlySet<string>,
) => z.ZodType | undefined;

/** The schemas of modules by the model's name; a row is validated by them wherever it is (contract C57). */
export type GivenSchemas = ReadonlyMap<string, RowSchemas>;

/** The schemas of a model's bodies, derived from the model if its module has none (contract C12). */
export interface BodySchemas {
  readonly createOne: z.ZodType;
  readonly updateOne: z.ZodType;
  readonly createMany: z.ZodType;
  /** The same, for items that update the rows with their values of these fields: such an item may be partial. */
  readonly upsertMany: (keyNames: readonly string[]) => z.ZodType;
  /** A list of `{ id, …changes }`, or one object of changes. */
  readonly updateMany: z.ZodType;
  readonly deleteMany: z.ZodType;
  /** All stored fields of a row; those of the key may be repeated. */
  readonly replaceOne: z.ZodType;
  /** The fields of the key, for a row that is created with the key of its path. */
  readonly newKey: z.ZodType;
}

/**
 * Derives the schemas of all bodies; unknown keys are rejected.
 *
 * @param given the schemas of modules, which precede the derived ones
 */
export function makeBodySchemas(
  resource: Resource,
  writables: WritableModels,
  given: GivenSchemas = new Map(),
): BodySchemas {
  const { model, bulkItems } = resource;
  const writable = writables.get(model.name);
  if (writable === undefined) throw new TypeError(`Unknown model ${model.name}.`);
  const source: SchemaSource = {
    writables,
    rows: bulkItems,
    made: new Map(),
    rowSchema: (related, row) => nestedSchema(related, row, source, given.get(related.resource.model.name)),
    passOn: given.size === 0 ? passOn : passOnLater,
  };
  const place = { depth: 0, settled: new Set<string>() };
  const rowSchema = (operation: BodyOperation, row: RowPlace): z.ZodType =>
    givenSchema(operation, writable, row, source, given.get(model.name)) ?? makeRowSchema(writable, row, source);
  const createOne = rowSchema("createOne", { ...place, mode: "create" });
  const createItem = rowSchema("createMany", { ...place, mode: "create" });
  const updateOne = rowSchema("updateOne", { ...place, mode: "update" });
  // If the id is a field that bodies may set, the item's `id` identifies the row and the field keeps its own name.
  const settled = new Set(["id"]);
  const changes = rowSchema("updateMany", { ...place, mode: "update", settled });
  const sameForAll = rowSchema("updateMany", { ...place, mode: "update" });
  const keyNames = new Set(model.key?.fields.map(({ name }) => name));
  const replacedRow: RowPlace = { ...place, mode: "create", settled: keyNames, more: keyValues(writable) };
  const deletion = z.strictObject({ ids: z.array(keySchema(model)).min(1) }).optional();
  const createList = items(createItem, bulkItems, source.passOn);
  const inList = (list: z.ZodType): z.ZodType =>
    z.unknown().transform(async (input, context) => {
      if (!isListInData(input)) return passOnLater(list, input, context);
      return markAsInData(await passOnLater(list, input.data, context, ["data"]));
    });
  const updateList = items(withKey(model, changes, source.passOn), bulkItems, source.passOn);
  return {
    createOne,
    updateOne,
    createMany: inList(createList),
    upsertMany: (keyNames) => {
      const key = makeRowSchema(fieldsNamed(writable, keyNames), { ...place, mode: "create", isGuard: true }, source);
      const item = partialItem({ row: createItem, changes: sameForAll, key, keyNames });
      return inList(items(item, bulkItems, passOnLater));
    },
    updateMany: z.unknown().transform((input, context) => {
      return passOnLater(Array.isArray(input) ? updateList : sameForAll, input, context);
    }),
    deleteMany: z.unknown().transform((input, context) => {
      checkCount((input as { ids?: unknown } | undefined)?.ids, bulkItems);
      return passOnLater(deletion, input, context);
    }),
    replaceOne: nestedSchema(fieldsOnly(writable, replaces), replacedRow, source, given.get(model.name)),
    newKey: makeRowSchema(keyOnly(writable), { ...place, mode: "create" }, source),
  };
}

const replaces = "PUT replaces the fields of the row itself";

/** The fields of the key in a body that replaces the row with this key. */
const keyValues = ({ resource: { model } }: WritableModel): Readonly<Record<string, z.ZodType>> =>
  Object.fromEntries((model.key?.fields ?? []).map((field) => [field.name, fieldSchema(field).optional()]));

/** The limit is checked before any item: the response is 413, not 400 (contract C14). */
function checkCount(list: unknown, max: number): void {
  if (Array.isArray(list) && list.length > max) {
    throw modelErrors.BulkTooLarge(`The request has ${list.length} items. Maximum: ${max}.`);
  }
}

function items(item: z.ZodType, max: number, passOn: PassOn): z.ZodType {
  const schema = itemsInSlices(item, passOn);
  return z.unknown().transform((input, context) => {
    checkCount(input, max);
    return passOnLater(schema, input, context);
  });
}

/**
 * An item of a bulk update: the id of its row, and its changes. If a part of the key is itself named `id`, an item with
 * all parts is a row as it was read, identified by them.
 */
function withKey(model: Model, changes: z.ZodType, passOn: PassOn): z.ZodType {
  const key = keySchema(model);
  const parts = keyParts(model);
  const changed = (input: unknown, id: unknown, context: z.RefinementCtx): unknown =>
    after(passOn(changes, input, context), (made) => ({ ...(made as object), id }));
  return z.unknown().transform((input, context) => {
    if (!isObject(input)) {
      context.issues.push({ code: "invalid_type", expected: "object", input, message: "Expected an object." });
      return z.NEVER;
    }
    if (parts?.names.every((name) => input[name] !== undefined) === true) {
      const isPart = (name: string): boolean => parts.names.includes(name);
      const entries = Object.entries(input);
      const named = Object.fromEntries(entries.filter(([name]) => isPart(name)));
      const others = Object.fromEntries(entries.filter(([name]) => !isPart(name)));
      return after(passOn(parts.schema, named, context), (values) =>
        changed(others, keyWhere(model, values as Parameters<typeof keyWhere>[1]), context),
      );
    }
    const { id, ...rest } = input;
    return after(passOn(key, id, context, ["id"]), (where) => changed(rest, where, context));
  });
}

const after = <Value>(value: Value | Promise<Value>, next: (value: Value) => unknown): unknown =>
  value instanceof Promise ? value.then(next) : next(value);

/** The parts of a compound key of which one is named `id`. */
function keyParts({ key }: Model): { readonly names: readonly string[]; readonly schema: z.ZodType } | undefined {
  const names = key?.fields.map(({ name }) => name) ?? [];
  if (key === undefined || names.length < 2 || !names.includes("id")) return undefined;
  return {
    names,
    schema: z.strictObject(Object.fromEntries(key.fields.map((field) => [field.name, fieldSchema(field)]))),
  };
}

/** The id of a row in a body: the same text as in a path, or the number of an integer id. */
function keySchema(model: Model): z.ZodType {
  return z.union([z.string().min(1), z.int()]).transform((input, context) => {
    const [field] = model.key?.fields ?? [];
    const isSingle = model.key?.fields.length === 1;
    const text = String(input);
    const isText = isSingle && field?.kind === "scalar" && field.type === "String";
    const where = readKey(model, isText ? encodeURIComponent(text) : text);
    // A text that cannot be an id matches no row: the operation returns 404.
    if (where === undefined && typeof input === "string") return null;
    if (where !== undefined) return where;
    context.issues.push({ code: "custom", input, message: "Expected an id." });
    return z.NEVER;
  });
}

function givenSchema(
  operation: BodyOperation,
  writable: WritableModel,
  row: RowPlace,
  source: SchemaSource,
  given: RowSchemas | undefined,
): z.ZodType | undefined {
  const names = [...writable.fields.keys(), ...writable.relations.keys()].filter((name) => !row.settled.has(name));
  return given?.(operation, names, () => makeRowSchema(writable, { ...row, isGuard: true }, source), row.settled);
}

/** A nested row is validated like a body of its own; its key is next to its changes. */
function nestedSchema(
  writable: WritableModel,
  { more = {}, ...row }: RowPlace,
  source: SchemaSource,
  given: RowSchemas | undefined,
): z.ZodType {
  const operation = row.mode === "create" ? "createOne" : "updateOne";
  const own = givenSchema(operation, writable, row, source, given);
  if (own === undefined) return makeRowSchema(writable, { ...row, more }, source);
  const key = z.strictObject(more);
  const isKey = (name: string): boolean => Object.hasOwn(more, name);
  return z.unknown().transform(async (input, context) => {
    const entries = isObject(input) ? Object.entries(input) : [];
    const named = Object.fromEntries(entries.filter(([name]) => isKey(name)));
    const changes = Object.fromEntries(entries.filter(([name]) => !isKey(name)));
    const where = await passOnLater(key, named, context);
    const made = await passOnLater(own, changes, context);
    return { ...(made as object), ...(where as object) };
  });
}
