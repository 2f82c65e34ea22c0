import type { ValidationIssue } from "@servicekit/core";
import { isPlainObject, toJsonPointer } from "@servicekit/core/internal";
import { type Database, type Model, type RelationField, type StoredField } from "@servicekit/prisma";
import { isStored, ormErrors, rowsWhere, toJsonField } from "@servicekit/prisma/internal";
import { accountIdOf } from "@servicekit/router/internal";
import type { Request } from "express";
import { placeOfList } from "../resource/body/list-in-data.js";
import type { Where } from "../resource/filter/where.js";
import type { Row } from "../resource/values/to-json.js";
import type { NewValues } from "../writes/write-scope.js";
import { readableWhere, readsAll, sees } from "./request-access.js";

/**
 * Rejects foreign keys in a body that reference rows which the caller may not read, with the same error as for missing
 * rows: a foreign key connects like a relation does (contract C13, C30).
 *
 * @returns `undefined` if nothing has to be looked up
 * @throws {HttpError} 400 `RelatedRecordNotFound` that names each
 */
export function checkReferences(
  request: Request,
  model: Model,
  database: Database,
  { userModel, newValues }: KnownReferences = {},
): Promise<void> | undefined {
  const { body } = request as { body?: unknown };
  if (typeof body !== "object" || body === null || readsAll(request)) return undefined;
  const references: Reference[] = [];
  const start = Array.isArray(body) ? placeOfList(body) : [];
  const known = (of: Model): Row => newValues?.of(request, of) ?? {};
  gather(body, model, { database, known }, start, references);
  return references.length === 0 ? undefined : checkEach(references, request, database, userModel);
}

/** What is known about references besides the body. */
export interface KnownReferences {
  /** The model of users: callers may always reference themselves. */
  readonly userModel?: string | undefined;
  /** The values that the service sets: parts of foreign keys that no body contains. */
  readonly newValues?: NewValues<Request> | undefined;
}

async function checkEach(
  references: readonly Reference[],
  request: Request,
  database: Database,
  userModel: string | undefined,
): Promise<void> {
  const issues: ValidationIssue[] = [];
  const others = references.filter((reference) => !isCaller(reference, request, database, userModel));
  for (const group of groupByRelation(others)) issues.push(...(await checkGroup(group, request, database)));
  if (issues.length > 0) throw ormErrors.RelatedRecordNotFound(undefined, { errors: issues });
}

type Path = readonly (string | number)[];

/** Whether a foreign key references the caller, who can read as much at `/users/me`. */
function isCaller(
  { relation, values }: Reference,
  request: Request,
  { models }: Database,
  userModel?: string,
): boolean {
  const userId = accountIdOf(request);
  const { key } = models.get(relation.type) ?? {};
  const [id] = key?.fields ?? [];
  if (userId === undefined || relation.type !== userModel || id === undefined || key?.fields.length !== 1) return false;
  const names = Object.keys(values);
  return names.length === 1 && names[0] === id.name && String(values[id.name]) === String(userId);
}

/** The foreign key of one row of a body. */
interface Reference {
  /** The model of the row. */
  readonly model: Model;
  readonly relation: RelationField;
  /** The values by their names in the related model. */
  readonly values: Row;
  readonly at: readonly Path[];
}

interface GatherContext {
  readonly database: Database;
  readonly known: (model: Model) => Row;
}

function gather(value: unknown, model: Model, context: GatherContext, at: Path, found: Reference[]): void {
  const { database, known } = context;
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) gather(item, model, context, [...at, index], found);
  if (!isPlainObject(value)) return;
  for (const field of model.fields) {
    if (field.kind !== "relation") continue;
    const inner = value[field.name];
    const related = database.models.get(field.type);
    if (inner !== undefined && related !== undefined) gather(inner, related, context, [...at, field.name], found);
    const { fields, references } = field.relation;
    const given = fields.filter((name) => value[name] !== undefined);
    if (given.length === 0 || given.some((name) => value[name] === null)) continue;
    const row = fields.length > 1 ? { ...known(model), ...value } : value;
    const complete = fields.filter((name) => row[name] !== undefined);
    const values = complete.map((name) => [references[fields.indexOf(name)] ?? "", row[name]] as const);
    found.push({ model, relation: field, values: Object.fromEntries(values), at: given.map((name) => [...at, name]) });
  }
}

function groupByRelation(references: readonly Reference[]): readonly (readonly Reference[])[] {
  const groups = new Map<string, Reference[]>();
  for (const reference of references) {
    const name = `${reference.relation.type}(${Object.keys(reference.values).join()})`;
    const group = groups.get(name) ?? [];
    groups.set(name, group);
    group.push(reference);
  }
  return [...groups.values()];
}

/** @param group references by the same fields of the same model */
async function checkGroup(
  group: readonly Reference[],
  request: Request,
  database: Database,
): Promise<ValidationIssue[]> {
  const [first] = group;
  const model = database.models.get(first?.relation.type ?? "");
  if (first === undefined || model === undefined) return [];
  const readable = await readableWhere(request, model.name);
  if (readable === true) return [];
  // A part of a key does not identify the referenced row.
  const isPart = Object.keys(first.values).length < first.relation.relation.references.length;
  if (isPart) return group.flatMap((reference) => partIssues(reference, request));
  const fields = Object.keys(first.values).flatMap((name) => {
    const field = model.fieldsByName.get(name);
    return isStored(field) ? [field] : [];
  });
  const present = readable === false ? new Set<string>() : await findPresent(group, fields, model, readable, database);
  return group.flatMap(({ values, at }) =>
    present.has(valuesText(fields, values))
      ? []
      : at.map((path): ValidationIssue => {
          const message = "This record does not exist.";
          return { in: "body", path: toJsonPointer(path), code: "RelatedRecordNotFound", message };
        }),
  );
}

/** A missing field is only named if the caller may see it (contract C57). */
function partIssues({ model, relation, at }: Reference, request: Request): ValidationIssue[] {
  const { fields } = relation.relation;
  const isSeen = fields.every((name) => sees(request, model, name));
  const message = isSeen ? `${fields.join(" and ")} must be set together.` : "This record does not exist.";
  return at.map((path) => ({ in: "body", path: toJsonPointer(path), code: "RelatedRecordNotFound", message }));
}

async function findPresent(
  group: readonly Reference[],
  fields: readonly StoredField[],
  model: Model,
  readable: Where,
  database: Database,
): Promise<ReadonlySet<string>> {
  const wanted = new Map(group.map(({ values }) => [valuesText(fields, values), values]));
  const keys = rowsWhere(
    fields.map(({ name }) => name),
    [...wanted.values()],
  );
  const select = Object.fromEntries(fields.map(({ name }) => [name, true]));
  const rows = await database.of(model).findMany({ where: { AND: [readable, keys] }, select });
  return new Set(rows.map((row) => valuesText(fields, row)));
}

/** One text for equal values from a body and from the database. */
const valuesText = (fields: readonly StoredField[], row: Row): string =>
  JSON.stringify(
    fields.map((field) => {
      const shown = toJsonField(field, row[field.name]);
      return field.nativeType?.name === "Uuid" ? String(shown).toLowerCase() : shown;
    }),
  );
