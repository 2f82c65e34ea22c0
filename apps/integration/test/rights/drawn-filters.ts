import type { Model, Models, RelationField, StoredField } from "@servicekit/prisma";
import type { Draw } from "../../../../scripts/test/random-draw.js";

type Where = Readonly<Record<string, unknown>>;

/** Draws a filter of rows in Prisma's form: own fields, also hidden ones, related rows, and groups. */
export function drawFilter(draw: Draw, model: Model, models: Models, depth = 2): Where {
  if (depth > 0 && draw.chance(0.25)) {
    const inner = [drawFilter(draw, model, models, depth - 1), drawFilter(draw, model, models, depth - 1)];
    return draw.pick<Where>([{ AND: inner }, { OR: inner }, { NOT: inner[0] }]);
  }
  const relations = model.fields.filter(
    (field): field is RelationField => field.kind === "relation" && models.has(field.type),
  );
  if (depth > 0 && relations.length > 0 && draw.chance(0.4))
    return drawRelated(draw, draw.pick(relations), models, depth);
  const fields = model.fields.filter((field): field is StoredField => field.kind === "scalar");
  return drawCondition(draw, draw.pick(fields));
}

function drawRelated(draw: Draw, field: RelationField, models: Models, depth: number): Where {
  const where = drawFilter(draw, models.get(field.type) as Model, models, depth - 1);
  if (field.isList) return { [field.name]: { [draw.pick(["some", "every", "none"])]: where } };
  if (!field.isRequired && draw.chance(0.2)) return { [field.name]: null };
  return { [field.name]: { [draw.pick(["is", "isNot"])]: where } };
}

const words = ["a", "new", "our", "their", "change", "open", "free"];

function drawCondition(draw: Draw, { name, type, isRequired }: StoredField): Where {
  if (!isRequired && draw.chance(0.2)) return { [name]: draw.chance(0.5) ? null : { not: null } };
  if (type === "Boolean") return { [name]: draw.chance(0.5) };
  if (type === "Int") {
    const number = draw.below(8);
    return {
      [name]: draw.pick<unknown>([number, { gt: number }, { lt: number }, { not: number }, { in: [1, number] }]),
    };
  }
  const word = draw.pick(words);
  const mode = "insensitive";
  return { [name]: draw.pick([{ contains: word, mode }, { startsWith: word, mode }, { not: word }, { lt: word }]) };
}
