import { httpErrors } from "@servicekit/errors";
import { isPlainObject } from "@servicekit/field-path";
import type { Model, Models, RelationField } from "@servicekit/orm";
import { certainFilter } from "./certain-filter.js";
import type { Where } from "./where.js";

/** What guarding needs to know. */
export interface GuardContext {
  readonly models: Models;
  /** The filter of the rows of a model that the caller may read; `undefined` for all. */
  readonly readable: (model: string) => Where | undefined | Promise<Where | undefined>;
}

/**
 * Puts the row rules of related models into a filter, so that each relation in it speaks of permitted rows only: those
 * outside are as if they did not exist (contract C30). `every` asks that no permitted row fails, and a to-one relation to
 * a row outside is empty, also where it is negated.
 *
 * @throws {HttpError} 400 where a negation over a rule could not be told safely
 */
export function guardWhere(where: Where, model: Model, context: GuardContext): Promise<Where> {
  return guardGroup(where, { model, context, isNegated: false });
}

interface Place {
  readonly model: Model;
  readonly context: GuardContext;
  /** Whether an unknown condition here could let rows through, or keep them back, by values outside a rule. */
  readonly isNegated: boolean;
}

async function guardGroup(where: Where, place: Place): Promise<Where> {
  const guarded: Record<string, unknown> = {};
  const more: Where[] = [];
  for (const [key, value] of Object.entries(where)) {
    if (key === "AND" || key === "OR" || key === "NOT") {
      const inner = key === "NOT" ? { ...place, isNegated: true } : place;
      guarded[key] = Array.isArray(value)
        ? await Promise.all(value.map((member: Where) => guardGroup(member, inner)))
        : await guardGroup(value as Where, inner);
      continue;
    }
    const field = place.model.fieldsByName.get(key);
    if (field?.kind === "relation") more.push(...(await guardRelation(field, value, place)));
    else guarded[key] = value;
  }
  if (more.length === 0) return guarded;
  if (Object.keys(guarded).length > 0) more.unshift(guarded);
  return more.length === 1 && more[0] !== undefined ? more[0] : { AND: more };
}

async function guardRelation(field: RelationField, value: unknown, place: Place): Promise<Where[]> {
  const { context } = place;
  const related = context.models.get(field.type);
  if (related === undefined) return [{ [field.name]: value }];
  const rule = await context.readable(field.type);
  const isLong = isPlainObject(value) && Object.keys(value).every((word) => relationWords.has(word));
  const words = isLong ? Object.entries(value) : [[field.isList ? "some" : "is", value] as const];
  return Promise.all(
    words.map(async ([word, inner]): Promise<Where> => {
      if (inner === null)
        return rule === undefined ? { [field.name]: { [word]: null } } : isEmpty(field, word, rule, place);
      // A subquery is true or false, so a negation around it asks nothing of what is inside; `every` negates inside.
      const isNegated = field.isList ? word === "every" : place.isNegated || word === "isNot";
      const guarded = await guardGroup(inner as Where, { model: related, context, isNegated });
      if (rule === undefined) return { [field.name]: { [word]: guarded } };
      if (word === "every") return { [field.name]: { none: { AND: [rule, { NOT: guarded }] } } };
      const told = isNegated ? certain(rule, related, context) : rule;
      return { [field.name]: { [word]: { AND: [told, guarded] } } };
    }),
  );
}

const relationWords: ReadonlySet<string> = new Set(["some", "every", "none", "is", "isNot"]);

/** A to-one relation is empty when there is no row, or one outside. */
function isEmpty(field: RelationField, word: string, rule: Where, { context, isNegated }: Place): Where {
  const related = context.models.get(field.type) as Model;
  const isAsked = word === "is";
  const told = isAsked || isNegated ? certain(rule, related, context) : rule;
  const isThere: Where = { [field.name]: { is: told } };
  return isAsked ? { NOT: isThere } : isThere;
}

function certain(rule: Where, model: Model, { models }: GuardContext): Where {
  const told = certainFilter(rule, model, models);
  if (told !== undefined) return told;
  throw httpErrors.ValidationError(`A filter through ${model.name} cannot be negated here.`);
}
