import { isObject } from "@servicekit/core/internal";
import { z } from "zod";
import { modelErrors } from "../errors.js";
import { fieldSchema } from "./field-schema.js";
import { closedAct, isOpenFor, readAct, type WriteMode } from "./relation-act.js";
import type { SchemaSource } from "./row-schema.js";
import type { RelationAct, WritableRelation } from "./writable-model.js";

/**
 * The schema of a relation in a body (contract C13): an object, or a list of them where there are many; `null` where one
 * may be missing. The schemas of its rows are made when they are first needed, since relations lead in circles.
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
  const made = new Map<RelationAct, z.ZodType>();
  const schemaOf = (act: RelationAct): z.ZodType => {
    const known = made.get(act) ?? makeActSchema(relation, act, depth, source);
    made.set(act, known);
    return known;
  };
  const readItem = (input: unknown, context: z.RefinementCtx, at: readonly PropertyKey[]): unknown => {
    const complain = (message: string): never => {
      context.issues.push({ code: "custom", input, path: [...at], message });
      return z.NEVER;
    };
    if (!isObject(input)) return complain("Expected an object.");
    const act = readAct(relation, input, mode);
    if (typeof act === "object") return complain(act.fault);
    if (!isOpenFor(relation, act)) return complain(closedAct(relation, act));
    return source.passOn(schemaOf(act), input, context, at);
  };
  return z.unknown().transform((input, context) => {
    if (input === undefined) return undefined;
    if (!relation.field.isList) {
      if (input !== null) return readItem(input, context, []);
      const why = relation.link.kind === "own" ? undefined : relation.refused.get("disconnect");
      if (why !== undefined) {
        context.issues.push({ code: "custom", input, message: closedAct(relation, "disconnect") });
        return z.NEVER;
      }
      if (canBeEmpty(relation)) return null;
      context.issues.push({ code: "custom", input, message: `${relation.name} is required.` });
      return z.NEVER;
    }
    if (!Array.isArray(input)) {
      context.issues.push({ code: "invalid_type", expected: "array", input, message: "Expected a list of objects." });
      return z.NEVER;
    }
    if (input.length > source.rows) throw tooManyRows(source.rows);
    const items = input.map((item, index) => readItem(item, context, [index]));
    return items.some((item) => item instanceof Promise) ? Promise.all(items) : items;
  });
}

/** @returns the 413 for more rows than one request may write */
export const tooManyRows = (most: number) =>
  modelErrors.BulkTooLarge(`The request writes more than ${most} related rows; at most ${most} fit.`);

/** Whether a row can do without the one that this relation names. */
export const canBeEmpty = ({ link }: WritableRelation): boolean =>
  link.kind !== "own" || link.fields.some(({ isRequired }) => !isRequired);

function makeActSchema(relation: WritableRelation, act: RelationAct, depth: number, source: SchemaSource): z.ZodType {
  const { related, link, keys } = relation;
  const writable = source.writables.get(related.model.name);
  if (writable === undefined) throw new TypeError(`There is no model ${related.model.name}.`);
  const unique = new Map(keys.flatMap(({ fields }) => fields.map((field) => [field.name, field] as const)));
  const names = Object.fromEntries(
    [...unique.values()].map((field) => [field.name, fieldSchema({ ...field, isRequired: true })]),
  );
  const settled = new Set(link.kind === "theirs" ? [link.opposite, ...link.fields.map(({ name }) => name)] : []);
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
