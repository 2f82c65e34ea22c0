import { isHidden, type Model, type StoredField } from "@servicekit/orm";
import { z } from "zod";
import { modelErrors } from "../errors.js";
import type { Resource } from "../resource.js";
import { readKey } from "../resource-key.js";
import { fieldSchema } from "./field-schema.js";
import { isListInData, markAsInData } from "./list-in-data.js";

/** The schemas of a model's bodies, derived from the model where its module gives none (contract C12). */
export interface BodySchemas {
  readonly createOne: z.ZodType;
  readonly updateOne: z.ZodType;
  readonly createMany: z.ZodType;
  /** A list of `{ id, …changes }`, or one object of changes. */
  readonly updateMany: z.ZodType;
  readonly deleteMany: z.ZodType;
}

/** Derives the schemas of all bodies; unknown keys are refused. */
export function makeBodySchemas(resource: Resource): BodySchemas {
  const { model, bulkItems } = resource;
  const writable = model.fields.filter(
    (field): field is StoredField => field.kind !== "relation" && field.kind !== "unsupported" && isWritable(field),
  );
  const createOne = z.strictObject(
    Object.fromEntries(
      writable.map((field) => {
        const schema = fieldSchema(field);
        return [field.name, isOptionalInCreate(field) ? schema.optional() : schema];
      }),
    ),
  );
  const changes = Object.fromEntries(writable.map((field) => [field.name, fieldSchema(field).optional()]));
  const updateOne = z.strictObject(changes);
  // Where the id is a field that bodies may set, the item's `id` names the row and the field keeps its own name.
  const { id: _, ...changesBesideId } = changes;
  const item = z.strictObject({ ...changesBesideId, id: keySchema(model) });
  const deletion = z.strictObject({ ids: z.array(keySchema(model)).min(1) }).optional();
  const createList = items(createOne, bulkItems);
  const updateList = items(item, bulkItems);
  return {
    createOne,
    updateOne,
    createMany: z.unknown().transform((input, context) => {
      if (!isListInData(input)) return passOn(createList, input, context);
      return markAsInData(passOn(createList, input.data, context, ["data"]));
    }),
    updateMany: z.unknown().transform((input, context) => {
      return passOn(Array.isArray(input) ? updateList : updateOne, input, context);
    }),
    deleteMany: z.unknown().transform((input, context) => {
      checkCount((input as { ids?: unknown } | undefined)?.ids, bulkItems);
      return passOn(deletion, input, context);
    }),
  };
}

/** The limit is told before any item is looked at: the answer is 413, not 400 (contract C14). */
function checkCount(list: unknown, most: number): void {
  if (Array.isArray(list) && list.length > most) {
    throw modelErrors.BulkTooLarge(`The request holds ${list.length} items; at most ${most} fit.`);
  }
}

function items(item: z.ZodType, most: number): z.ZodType {
  const schema = z.array(item).min(1);
  return z.unknown().transform((input, context) => {
    checkCount(input, most);
    return passOn(schema, input, context);
  });
}

/** @param at where the input stands in the body */
function passOn(schema: z.ZodType, input: unknown, context: z.RefinementCtx, at: readonly string[] = []): unknown {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue) => ({ ...issue, path: [...at, ...issue.path] }));
  context.issues.push(...(issues as typeof context.issues));
  return z.NEVER;
}

/** The id of a row in a body: the same text as in a path, or the bare number of an integer id. */
function keySchema(model: Model): z.ZodType {
  return z.union([z.string().min(1), z.int()]).transform((input, context) => {
    const [field] = model.key?.fields ?? [];
    const isSingle = model.key?.fields.length === 1;
    const text = String(input);
    const isText = isSingle && field?.kind === "scalar" && field.type === "String";
    const where = readKey(model, isText ? encodeURIComponent(text) : text);
    // A text that cannot be an id names no row: the operation answers 404.
    if (where === undefined && typeof input === "string") return null;
    if (where !== undefined) return where;
    context.issues.push({ code: "custom", input, message: "Expected an id." });
    return z.NEVER;
  });
}

/** What a body may set: no hidden or read-only field, no id with a default, no time stamp that is set for it (C11). */
export function isWritable(field: StoredField): boolean {
  if (field.marks.readonly || (isHidden(field) && !field.marks.writeonly)) return false;
  if (field.isUpdatedAt || (field.isId && field.hasDefault)) return false;
  const isNow = field.default !== undefined && "function" in field.default && field.default.function === "now";
  return !(field.type === "DateTime" && isNow);
}

const isOptionalInCreate = (field: StoredField): boolean => field.hasDefault || !field.isRequired || field.isList;
