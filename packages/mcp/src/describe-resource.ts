import { type Field } from "@servicekit/prisma";
import { isStored as isColumn, isOptionalInCreate } from "@servicekit/prisma/internal";
import type { Catalog, OpenResource } from "./catalog.js";

/** The description of a resource for a caller: its fields, filters, body fields and relations. */
export function describeResource(resource: OpenResource, { resources }: Catalog): object {
  const { name, model, fields, writable, operators, acts } = resource;
  const seen = model.fields.filter((field) => fields.has(field.name));
  const settable = model.fields.filter((field) => writable.has(field.name));
  const byName = new Map([...resources.values()].map((each) => [each.model.name, each.name]));
  const required = settable.filter((field) => field.kind !== "relation" && isNeeded(field));
  const names = (list: readonly Field[]): readonly string[] => list.map((field) => field.name);
  // Fields that responses never contain but bodies accept, such as a password.
  const unseen = settable.filter((field) => !fields.has(field.name));
  return {
    resource: name,
    ...described(model.documentation),
    can: acts,
    key: model.key?.fields.map((field) => field.name) ?? null,
    fields: describeFields(seen.filter(isStored), (field) => fieldWords(field, model.key?.fields ?? [])),
    ...listed(
      "relations",
      describeFields(seen.filter(isRelation), (field) => relationWords(field, byName.get(field.type))),
    ),
    ...(acts.includes("find") ? { filters: byOperators(operators) } : {}),
    ...(acts.includes("create")
      ? {
          create: {
            required: required.map(({ name }) => orRelation(name, settable)),
            optional: names(settable.filter((field) => !required.includes(field))),
          },
        }
      : {}),
    ...(acts.includes("update") ? { update: names(settable) } : {}),
    ...(acts.includes("create") || acts.includes("update")
      ? listed(
          "neverShown",
          describeFields(unseen.filter(isStored), (field) => fieldWords(field, [])),
        )
      : {}),
  };
}

/** The first sentence of a model's description in the schema. */
export function inShort(resource: OpenResource): string | undefined {
  return resource.model.documentation?.split(/(?<=[.!?])\s|\n/, 1)[0];
}

/** A foreign key, or the relation in its place. */
function orRelation(name: string, settable: readonly Field[]): string {
  const by = settable.find((field) => field.kind === "relation" && field.relation.fields.includes(name));
  return by === undefined ? name : `${name} or ${by.name}`;
}

type Relation = Extract<Field, { readonly kind: "relation" }>;
type Stored = Exclude<Field, Relation>;

const isRelation = (field: Field): field is Relation => field.kind === "relation";
const isStored = (field: Field): field is Stored => field.kind !== "relation";
const described = (text: string | undefined): object => (text === undefined ? {} : { description: text });
const isNeeded = (field: Field): boolean => isColumn(field) && !isOptionalInCreate(field);

function describeFields<Each extends Field>(
  fields: readonly Each[],
  words: (field: Each) => string,
): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field.name, words(field)]));
}

const listed = (name: string, value: object): object => (Object.keys(value).length === 0 ? {} : { [name]: value });

function fieldWords(field: Stored, key: readonly Field[]): string {
  const type = field.kind === "enum" ? `one of ${field.values.join(", ")}` : field.type;
  const parts = [
    field.isList ? `list of ${type}` : type,
    ...(field.isRequired ? [] : ["nullable"]),
    ...(isColumn(field) && field.isUnique ? ["unique"] : []),
    ...(field.kind === "computed" ? ["computed"] : []),
    ...(key.includes(field) ? ["key"] : []),
  ];
  return sentence(parts.join(", "), field.documentation);
}

function relationWords(field: Relation, target: string | undefined): string {
  const { fields } = field.relation;
  const rows = target ?? "rows that are only visible through it";
  const by = fields.length === 0 ? "" : ` (by ${fields.join(", ")})`;
  return sentence(field.isList ? `many of ${rows}` : `one of ${rows}${by}`, field.documentation);
}

const sentence = (words: string, documentation: string | undefined): string =>
  documentation === undefined ? words : `${words}. ${documentation}`;

/** Fields with the same operators are described together. */
function byOperators(operators: OpenResource["operators"]): readonly object[] {
  const groups = new Map<string, string[]>();
  for (const [field, list] of operators) {
    if (list.length === 0) continue;
    const text = list.join(" ");
    groups.set(text, [...(groups.get(text) ?? []), field]);
  }
  return [...groups].map(([text, fields]) => ({ fields: fields.join(" "), operators: text }));
}
