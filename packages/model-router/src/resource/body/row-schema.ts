import { isObject } from "@servicekit/core/internal";
import { type StoredField } from "@servicekit/prisma";
import {
  isOptionalInCreate,
  isPathText,
  isPlainText,
  noPathText,
  pathTextRule,
  plainTextRule,
} from "@servicekit/prisma/internal";
import { rejection } from "@servicekit/router/internal";
import { z } from "zod";
import { fieldSchema } from "./field-schema.js";
import { canBeEmpty } from "./read-relation.js";
import { relationSchema } from "./relation-schema.js";
import type { RowPlace, SchemaSource } from "./schema-source.js";
import type { WritableModel } from "./writable-model.js";

/** Maximum nesting of relations in a body (contract C13). */
export const deepestWrite = 3;

/**
 * The schema of one row of a body: the settable fields and relations, and nothing else. A foreign key is not required
 * if its relation is given, and must not be (contract C13).
 */
export function makeRowSchema(writable: WritableModel, place: RowPlace, source: SchemaSource): z.ZodType {
  const { mode, depth, settled, isGuard = false, more = {} } = place;
  const shape: Record<string, z.ZodType> = {};
  const own = ownRelations(writable, settled);
  const needs = isGuard || mode === "update" ? [] : neededKeys(writable, settled);
  const inRelation = new Set(own.flatMap(({ fields }) => fields));
  for (const [name, field] of writable.fields) {
    if (settled.has(name)) continue;
    const schema = name === writable.password ? passwordSchema(field) : bodyFieldSchema(field, writable);
    const isOptional = isGuard || mode === "update" || isOptionalInCreate(field) || inRelation.has(name);
    shape[name] = isOptional ? schema.optional() : schema;
  }
  for (const [name, relation] of writable.relations) {
    if (settled.has(name)) continue;
    shape[name] =
      depth < deepestWrite
        ? relationSchema(relation, mode, depth + 1, source).optional()
        : rejection(`A body may nest relations at most ${deepestWrite} levels deep.`);
  }
  for (const [name, reason] of writable.closed) {
    if (!settled.has(name)) shape[name] = rejection(`${name} cannot be set here: ${reason}.`);
  }
  const schema = z.strictObject({ ...shape, ...more });
  const isInherited = Object.keys(shape).some((name) => name in Object.prototype);
  if (own.length === 0 && !isInherited) return schema;
  return z.unknown().transform((given, context) => {
    const input = isInherited ? ownValues(given) : given;
    if (isObject(input)) {
      for (const need of needs) checkNeededKey(need, input, context);
      for (const relation of own) checkOwnRelation(relation, input, context);
    }
    return source.passOn(schema, input, context);
  });
}

/** A body without a prototype, so that a missing field such as `constructor` is not found there. */
const ownValues = (input: unknown): unknown =>
  isObject(input) ? Object.assign(Object.create(null) as object, input) : input;

interface OwnRelation {
  readonly name: string;
  readonly fields: readonly string[];
}

/** The relations stored in foreign keys of this model. */
function ownRelations(writable: WritableModel, settled: ReadonlySet<string>): readonly OwnRelation[] {
  return [...writable.relations.values()].flatMap(({ name, link }) => {
    if (link.kind !== "belongsTo" || settled.has(name)) return [];
    return { name, fields: link.fields.filter((field) => !settled.has(field.name)).map((field) => field.name) };
  });
}

/** A required field of foreign keys in a new row. */
export interface NeededKey {
  readonly name: string;
  /** Whether bodies may set the field itself. */
  readonly isField: boolean;
  /** The relations that set it: foreign keys may overlap, and then one of them is enough. */
  readonly relations: readonly string[];
}

/** The required foreign keys of a new row: each as a field, or by a relation that sets it (contract C13). */
export function neededKeys(writable: WritableModel, settled: ReadonlySet<string>): readonly NeededKey[] {
  const own = [...writable.relations.values()].flatMap((relation) =>
    relation.link.kind === "belongsTo" && !settled.has(relation.name)
      ? [{ relation, fields: relation.link.fields }]
      : [],
  );
  const isNeeded = (field: StoredField): boolean => !settled.has(field.name) && !isOptionalInCreate(field);
  const names = new Set(own.flatMap(({ fields }) => fields.filter(isNeeded).map(({ name }) => name)));
  return [...names].map((name) => {
    const setting = own.filter(({ fields }) => fields.some((field) => field.name === name));
    // A relation that is null sets nothing.
    const sure = setting.filter(({ relation }) => !canBeEmpty(relation));
    const isWhole = ({ fields }: (typeof own)[number]): boolean =>
      fields.filter(isNeeded).every((field) => writable.fields.has(field.name));
    return {
      name,
      isField: setting.some(isWhole),
      relations: (sure.length > 0 ? sure : setting).map(({ relation }) => relation.name),
    };
  });
}

function checkNeededKey(
  { name, isField, relations }: NeededKey,
  input: Readonly<Record<string, unknown>>,
  context: z.RefinementCtx,
): void {
  if ([name, ...relations].some((one) => input[one] !== undefined)) return;
  const missing = isField ? name : (relations[0] ?? name);
  if (context.issues.some(({ path }) => path?.[0] === missing)) return;
  const message = "Expected a value.";
  context.issues.push({ code: "invalid_type", expected: "nonoptional", input: undefined, path: [missing], message });
}

function checkOwnRelation(
  { name, fields }: OwnRelation,
  input: Readonly<Record<string, unknown>>,
  context: z.RefinementCtx,
): void {
  if (input[name] === undefined) return;
  const both = fields.filter((field) => input[field] !== undefined);
  if (both.length === 0) return;
  const message = `${name} and ${both.join(", ")} set the same column. Use one of them.`;
  context.issues.push({ code: "custom", input, path: [name], message });
}

/** A new row must not get an id that paths cannot contain. */
function bodyFieldSchema(field: StoredField, { resource: { model, reservedIds } }: WritableModel): z.ZodType {
  const schema = fieldSchema(field);
  if (!isPathText(model, field)) return schema;
  const fitting = schema.refine((value) => !noPathText.test(String(value)), pathTextRule);
  return reservedIds.reduce(
    (rest, id) =>
      rest.refine(
        (value) => String(value).toLowerCase() !== id,
        `An id must not be "${id}", the path of another route.`,
      ),
    fitting,
  );
}

/** The plain-text password: the column's own limits are those of its hash. */
function passwordSchema(field: StoredField): z.ZodType {
  const text = z.string().min(1).refine(isPlainText, plainTextRule);
  return field.isRequired ? text : text.nullable();
}
