import type { Model, Models, RelationField, StoredField } from "@servicekit/prisma";
import type { Draw } from "../../../../scripts/test/random-draw.js";
import { userIds } from "./callers.js";
import type { Values } from "./cases.js";
import { relationFields, storedFields } from "./rows.js";

/** All rows, no row, the rows of the caller, or those of a Prisma filter. */
export type Rule = boolean | { readonly own: true } | { readonly where: Values };

export function drawRule(draw: Draw, model: Model, models: Models): Rule {
  return draw.pick<() => Rule>([
    () => true,
    () => false,
    () => ({ own: true }),
    () => ({ where: drawFilter(draw, model, models) }),
    () => ({ where: drawFilter(draw, model, models) }),
  ])();
}

/** The result of a rule for a caller. */
export function ruleFor(rule: Rule, id: unknown): boolean | Values {
  if (typeof rule === "boolean") return rule;
  if ("where" in rule) return rule.where;
  return id === undefined ? false : { ownerId: id };
}

/** Draws a filter in Prisma's form: of fields, also hidden ones, of related rows, and groups. */
function drawFilter(draw: Draw, model: Model, models: Models, depth = 2): Values {
  if (depth > 0 && draw.chance(0.2)) {
    const members = [drawFilter(draw, model, models, depth - 1), drawFilter(draw, model, models, depth - 1)];
    return draw.pick<Values>([{ AND: members }, { OR: members }, { NOT: members[0] }]);
  }
  const relations = relationFields(model, models);
  if (depth > 0 && relations.length > 0 && draw.chance(0.35)) {
    return drawRelated(draw, draw.pick(relations), models, depth);
  }
  return drawCondition(draw, draw.pick(storedFields(model).filter(isComparable)));
}

const isComparable = ({ kind, type, isList, nativeType, name }: StoredField): boolean =>
  kind === "scalar" &&
  !isList &&
  ["String", "Boolean", "Int"].includes(type) &&
  !["Uuid", "Inet", "Char"].includes(nativeType?.name ?? "") &&
  name !== "tenantId";

function drawRelated(draw: Draw, field: RelationField, models: Models, depth: number): Values {
  const where = drawFilter(draw, models.get(field.type) as Model, models, depth - 1);
  if (field.isList) return { [field.name]: { [draw.pick(["some", "every", "none"])]: where } };
  if (!field.isRequired && draw.chance(0.2)) return { [field.name]: null };
  return { [field.name]: { [draw.pick(["is", "isNot"])]: where } };
}

function drawCondition(draw: Draw, { name, type, isRequired }: StoredField): Values {
  if (!isRequired && draw.chance(0.2)) return { [name]: draw.chance(0.5) ? null : { not: null } };
  if (type === "Boolean") return { [name]: draw.chance(0.7) };
  if (name === "ownerId") return { [name]: draw.pick<unknown>([{ in: userIds.slice(0, 3) }, draw.pick(userIds)]) };
  if (type === "Int") return { [name]: draw.pick<unknown>([{ gte: 1 }, { lt: 7 }, { not: 2 }, 1]) };
  return { [name]: draw.pick([{ contains: "a" }, { startsWith: "a" }, { not: "a" }, { gt: "b" }]) };
}
