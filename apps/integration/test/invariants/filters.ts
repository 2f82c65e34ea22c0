import type { Model, StoredField } from "@servicekit/prisma";
import type { Material } from "./material.js";
import { relationFields, storedFields } from "./rows.js";

type Parameter = readonly [name: string, value: unknown];

const operatorsOf: Readonly<Record<string, readonly string[]>> = {
  String: ["", "__not", "__contains", "__icontains", "__startsWith", "__iequals", "__gt", "__lte", "__in"],
  Boolean: ["", "__not"],
  Int: ["", "__not", "__gt", "__lte", "__in", "__notIn"],
  BigInt: ["", "__gt", "__lte", "__in"],
  Float: ["", "__gt", "__lte"],
  Decimal: ["", "__gt", "__lte", "__not"],
  DateTime: ["", "__gt", "__lte", "__not"],
};

/** Times of the case differ between databases. */
const isFiltered = ({ name, isUpdatedAt }: StoredField): boolean => !isUpdatedAt && name !== "deletedAt";

/** Draws a filter of fields, hidden ones too, or of related rows. */
export function drawFilter(material: Material, model: Model, depth = 2): Parameter {
  const { draw, models } = material;
  const relations = relationFields(model, models);
  if (depth > 0 && relations.length > 0 && draw.chance(0.3)) {
    const relation = draw.pick(relations);
    const quantifier = relation.isList ? draw.pick(["", "__some", "__every", "__none"]) : "";
    const [name, value] = drawFilter(material, models.get(relation.type) as Model, depth - 1);
    return [`${relation.name}${quantifier}__${name}`, value];
  }
  if (material.has("computedSql", model) && draw.chance(0.2)) {
    return [`framed${draw.pick(["__equals", "__contains", "__gt", "__not"])}`, draw.pick(["<a>", "<", "<b", "<>"])];
  }
  const field = draw.pick(storedFields(model).filter(isFiltered));
  if (!field.isRequired && !field.isList && draw.chance(0.2)) return [`${field.name}__isNull`, draw.chance(0.5)];
  const value = material.value(model, field);
  if (field.isList) return [`${field.name}__has`, quoted(value)];
  // A name of a parameter of the query language is a filter with an operator only.
  const operators = operatorsOf[field.type] ?? [""];
  const operator = draw.pick(operators);
  return [`${field.name}${operator === "" ? "__equals" : operator}`, field.type === "Json" ? "1" : quoted(value)];
}

/** A text that is one value, whatever it contains. */
export const quoted = (value: unknown): unknown =>
  typeof value === "string" && /[,"\\\s]|^$|^null$/.test(value) ? `"${value.replaceAll(/["\\]/g, "\\$&")}"` : value;

/** The parameters of a list. */
export function drawListQuery(material: Material, model: Model): readonly Parameter[] {
  const { draw, models } = material;
  const fields = storedFields(model).filter(isFiltered);
  const sortable = fields.filter(({ isList, type }) => !isList && type !== "Json" && type !== "Bytes");
  const sortNames = [...sortable.map(({ name }) => name), ...(material.has("computedSql", model) ? ["framed"] : [])];
  const relations = relationFields(model, models);
  const parts: (readonly [number, () => Parameter])[] = [
    [0.6, () => drawFilter(material, model)],
    [0.2, () => drawFilter(material, model)],
    [0.4, () => ["sort", draw.pick(["", "-"]) + draw.pick(sortNames)]],
    [0.2, () => ["limit", draw.pick([1, 2, 3])]],
    [0.1, () => ["page", 2]],
    [0.1, () => ["cursor", ""]],
    [relations.length > 0 ? 0.3 : 0, () => ["include", drawInclude(material, model)]],
    [0.15, () => ["fields", `${draw.pick(["", "-"])}${draw.pick(fields).name}`]],
    [0.25, () => ["search", draw.pick(["a", "hello", "ab", "report", "é", "1", "- ".repeat(40)])]],
    [0.1, () => ["count", draw.pick(["false", "exact", "limited"])]],
    [0.1, () => ["deleted", draw.pick(["only", "include"])]],
  ];
  return parts.filter(([share]) => draw.chance(share)).map(([, make]) => make());
}

/** One relation, or a relation of a relation. */
function drawInclude({ draw, models }: Material, model: Model): string {
  const relation = draw.pick(relationFields(model, models));
  const next = relationFields(models.get(relation.type) as Model, models);
  return draw.chance(0.4) && next.length > 0 ? `${relation.name}.${draw.pick(next).name}` : relation.name;
}
