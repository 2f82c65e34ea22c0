import type { Model, Models, RelationField, StoredField } from "../models/model.js";
import { bodyType, filterType } from "./api-values.js";
import { type GeneratedBody, generatedBodies } from "./body-models.js";
import { partOf } from "./resource-key.js";
import { shownRelations } from "./shown-fields.js";

/** The bodies of a model as types. */
export interface BodyTypes {
  /** The reference to a row in a body: the fields of a unique key. */
  readonly ref: string;
  readonly create: string;
  readonly update: string;
}

/** The users of a service, whose relations are not writable unless the schema allows it (contract C13). */
const userModel = "User";

/** Writes the types of a model's bodies (contract C12, C13): its fields, and its relations by name. */
export function bodyTypes(model: Model, models: Models): BodyTypes {
  const bodies = generatedBodies(new Map([[model.name, model]]));
  const write = (mode: GeneratedBody["mode"]): string => {
    const body = bodies.find((one) => one.mode === mode);
    return body === undefined ? "never" : bodyText(body, models);
  };
  return { ref: refType(model), create: write("create"), update: write("update") };
}

function refType({ uniqueKeys, key }: Model): string {
  if (key === undefined) return "never";
  const refs = uniqueKeys.map(({ fields }) => {
    return `{ ${fields.map((field) => `${field.name}: ${filterType(field)}`).join("; ")} }`;
  });
  return refs.join(" | ");
}

function bodyText({ model, mode, fields }: GeneratedBody, models: Models): string {
  const relations = writableRelations(model, models);
  /** What must be set in one of two ways: as a foreign key, or as the relation. */
  const choices = relations.filter(({ field }) => isChoice(field, { model, mode, fields }, relations));
  const chosen = new Set(choices.flatMap(({ field }) => [field.name, ...field.relation.fields]));
  const own = fields.filter(({ field }) => !chosen.has(field.name));
  const lines = [
    ...own.map(({ field, isOptional }) => `      ${field.name}${isOptional ? "?" : ""}: ${bodyType(field)};\n`),
    ...relations
      .filter(({ field }) => !chosen.has(field.name))
      .map((relation) => `      ${relation.field.name}?: ${relatedType(relation, mode)};\n`),
  ];
  const parts = choices.map((relation) => {
    const { field } = relation;
    const keys = field.relation.fields.map((name) => model.fieldsByName.get(name) as StoredField);
    const given = keys.map((key) => `${key.name}: ${bodyType(key)}`).join("; ");
    const absent = keys.map(({ name }) => `${name}?: never`).join("; ");
    return ` & (\n      | { ${given}; ${field.name}?: never }\n      | { ${absent}; ${field.name}: ${relatedType(relation, mode)} }\n    )`;
  });
  return `{\n${lines.join("")}    }${parts.join("")}`;
}

interface WritableRelation {
  readonly field: RelationField;
  readonly related: Model;
  /** The fields of a nested row that its place determines. */
  readonly settled: readonly string[];
}

function writableRelations(model: Model, models: Models): readonly WritableRelation[] {
  return shownRelations(model, models).flatMap(({ field, related }) => {
    const opposite = related.fieldsByName.get(field.relation.opposite ?? "");
    const theirs = opposite?.kind === "relation" && field.relation.fields.length === 0 ? opposite : undefined;
    const holder = field.relation.fields.length > 0 ? model : related;
    const keys = field.relation.fields.length > 0 ? field.relation.fields : (theirs?.relation.fields ?? []);
    const isClosed =
      field.annotations.readonly ||
      related.key === undefined ||
      (holder === related && related.isView) ||
      (!field.annotations.writable &&
        ([model.name, related.name].includes(userModel) ||
          keys.some(
            (name) => (holder.fieldsByName.get(name) as StoredField | undefined)?.annotations.readonly !== false,
          )));
    const settled = theirs === undefined || keys.length === 0 ? [] : [theirs.name, ...theirs.relation.fields];
    return isClosed ? [] : [{ field, related, settled }];
  });
}

/** A relation that a new row requires, whose foreign keys belong to it alone. */
function isChoice(
  { relation: { fields: keys }, isRequired }: RelationField,
  { mode, fields }: GeneratedBody,
  relations: readonly WritableRelation[],
): boolean {
  if (mode === "update" || !isRequired || keys.length === 0) return false;
  const needed = keys.every((key) => fields.some(({ field, isOptional }) => field.name === key && !isOptional));
  const users = relations.filter(({ field }) => field.relation.fields.some((key) => keys.includes(key)));
  return needed && users.length === 1;
}

function relatedType({ field, related, settled }: WritableRelation, mode: GeneratedBody["mode"]): string {
  const ref = partOf(related, "ref");
  const settledNames = settled.map((name) => JSON.stringify(name)).join(" | ");
  const without = (part: string): string =>
    settledNames === "" ? partOf(related, part) : `Omit<${partOf(related, part)}, ${settledNames}>`;
  const ways = [
    ref,
    ...(field.annotations.writable && related.isCreatable ? [without("create")] : []),
    ...(mode === "create" ? [] : [`(${ref} & { $disconnect: true })`]),
    ...(field.annotations.writable && mode === "update"
      ? [`(${ref} & ${without("update")})`, `(${ref} & { $delete: true })`]
      : []),
  ];
  if (field.isList) return `(${ways.join(" | ")})[]`;
  return [...ways, ...(field.isRequired ? [] : ["null"])].join(" | ");
}
