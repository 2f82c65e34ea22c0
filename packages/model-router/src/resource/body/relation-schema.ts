import { z } from "zod";
import { modelErrors } from "../errors.js";
import { fieldSchema } from "./field-schema.js";
import { readRelation } from "./read-relation.js";
import type { WriteMode } from "./relation-act.js";
import type { SchemaSource } from "./schema-source.js";
import type { RelationAction, WritableRelation } from "./writable-model.js";

/**
 * The schema of a relation in a body (contract C13): an object, or a list for a to-many relation; `null` for an
 * optional one. The schemas of its rows are created on demand, because relations are cyclic.
 */
export function relationSchema(
  relation: WritableRelation,
  mode: WriteMode,
  depth: number,
  source: SchemaSource,
): z.ZodType {
  const known = source.made.get(relation) ?? new Map<string, z.ZodType>();
  source.made.set(relation, known);
  const schema = known.get(`${mode} ${depth}`) ?? makeRelationSchema(relation, mode, depth, source);
  known.set(`${mode} ${depth}`, schema);
  return schema;
}

function makeRelationSchema(
  relation: WritableRelation,
  mode: WriteMode,
  depth: number,
  source: SchemaSource,
): z.ZodType {
  const made = new Map<RelationAction, z.ZodType>();
  const schemaOf = (act: RelationAction): z.ZodType => {
    const known = made.get(act) ?? makeActSchema(relation, act, depth, source);
    made.set(act, known);
    return known;
  };
  return z.unknown().transform((input, context) => {
    if (input === undefined) return undefined;
    const { isList } = relation.field;
    if (isList && Array.isArray(input) && input.length > source.rows) throw tooManyRows(source.rows);
    const items = readRelation(relation, input, mode)?.map((entry) => {
      if ("act" in entry) return source.passOn(schemaOf(entry.act), entry.object, context, entry.at);
      const { message, expected, at: path } = entry;
      const issue = { input: entry.input, path: [...path], message };
      context.issues.push(
        expected === undefined ? { code: "custom", ...issue } : { code: "invalid_type", expected, ...issue },
      );
      return z.NEVER;
    });
    if (items === undefined) return null;
    if (!isList) return items[0];
    return items.some((item) => item instanceof Promise) ? Promise.all(items) : items;
  });
}

/** @returns the 413 for more rows than one request may write */
export const tooManyRows = (max: number) =>
  modelErrors.BulkTooLarge(`The request writes more than ${max} related rows. Maximum: ${max}.`);

function makeActSchema(
  relation: WritableRelation,
  act: RelationAction,
  depth: number,
  source: SchemaSource,
): z.ZodType {
  const { related, link, keys } = relation;
  const writable = source.writables.get(related.model.name);
  if (writable === undefined) throw new TypeError(`Unknown model ${related.model.name}.`);
  const unique = new Map(keys.flatMap(({ fields }) => fields.map((field) => [field.name, field] as const)));
  const names = Object.fromEntries(
    [...unique.values()].map((field) => [field.name, fieldSchema({ ...field, isRequired: true })]),
  );
  const settled = new Set(link.kind === "hasMany" ? [link.opposite, ...link.fields.map(({ name }) => name)] : []);
  for (const name of writable.user?.administered ?? []) settled.add(name);
  switch (act) {
    case "connect":
      return z.strictObject(partial(names));
    case "delete":
    case "disconnect":
      return z.strictObject({ ...partial(names), [`$${act}`]: z.literal(true) });
    case "create":
      return source.rowSchema(writable, { mode: "create", depth, settled }, source);
    case "update": {
      const key = (related.model.key?.fields ?? []).map(({ name }) => name);
      for (const name of writable.user?.credentials ?? []) settled.add(name);
      const more = Object.fromEntries(key.map((name) => [name, names[name] ?? z.never()]));
      return source.rowSchema(
        writable,
        { mode: "update", depth, settled: new Set([...settled, ...key]), more },
        source,
      );
    }
  }
}

const partial = (schemas: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, schema.optional()]));
