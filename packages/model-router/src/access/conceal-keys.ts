import { randomUUID } from "node:crypto";
import { httpErrors } from "@servicekit/core";
import { fromJsonPointer, isPlainObject, nearestWord } from "@servicekit/core/internal";
import { type Model, type Models } from "@servicekit/prisma";
import { isHidden } from "@servicekit/prisma/internal";
import { type BodyView } from "@servicekit/router";
import { handOnLongNumbers } from "@servicekit/router/internal";

/** The models of a caller beside those of everyone. */
export interface SeenContext {
  readonly seen: Models;
  /** As who may see everything sees them: what nobody sees, such as a password, is settled by the schema of the body. */
  readonly models: Models;
}

/** No schema has a key that ends so. */
const mark = randomUUID();

/**
 * What a caller may name in the body of a model: fields and relations outside the caller's view get a name that no schema
 * knows before the schema is asked, so that they are told in the words for a key that nobody knows, and at the same place
 * among other faults (contract C11, C30).
 */
export function bodyViewOf(model: Model, context: SeenContext): BodyView {
  return {
    conceal(body) {
      const concealed = conceal(body, model, context);
      handOnLongNumbers(body, concealed, (place) => placeIn(place, model, context));
      return concealed;
    },
    /** @throws {HttpError} 403 where all that is wrong lies outside the view: no body of this caller can mend it */
    tell(faults) {
      const told = faults.filter(({ path }) => isTold(path, model, context));
      if (told.length === 0) throw httpErrors.Forbidden();
      return told.map((fault) => ({
        ...fault,
        path: plain(fault.path),
        message: withoutNames(plain(fault.message), fault.path, model, context),
      }));
    },
  };
}

const plain = (text: string): string => text.replaceAll(mark, "");

function conceal(value: unknown, model: Model, context: SeenContext): unknown {
  if (Array.isArray(value)) return value.map((item) => conceal(item, model, context));
  if (!isPlainObject(value)) return value;
  if (!Object.keys(value).some((key) => isTouched(key, model, context))) return { ...value };
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const field = model.fieldsByName.get(key);
      if (field === undefined) return [key, inner];
      if (isOutside(model, key, context)) return [key + mark, inner];
      const related = field.kind === "relation" ? context.seen.get(field.type) : undefined;
      return [key, related === undefined ? inner : conceal(inner, related, context)];
    }),
  );
}

/** Where what stands at a place of a body stands in the concealed one. */
function placeIn(place: readonly string[], start: Model, context: SeenContext): readonly string[] {
  let model: Model | undefined = start;
  return place.map((key) => {
    const field: Model["fields"][number] | undefined = model?.fieldsByName.get(key);
    if (model === undefined || field === undefined) return key;
    if (isOutside(model, key, context)) return key + mark;
    model = field.kind === "relation" ? context.seen.get(field.type) : undefined;
    return key;
  });
}

/** Whether a key gets another name, or has keys below that may. */
const isTouched = (key: string, model: Model, context: SeenContext): boolean =>
  model.fieldsByName.get(key)?.kind === "relation" || isOutside(model, key, context);

/** Whether a field is there, but not for this caller. */
export function isOutside(model: Model, name: string, { models }: Pick<SeenContext, "models">): boolean {
  const field = model.fieldsByName.get(name);
  const whole = models.get(model.name)?.fieldsByName.get(name);
  return field !== undefined && isHidden(field) && !(whole !== undefined && isHidden(whole));
}

/** The nearest key is no secret of others: one that the caller does not see is not told. */
function withoutNames(message: string, path: string, start: Model, context: SeenContext): string {
  const [said = "", near] = message.split("; did you mean ", 2);
  if (near === undefined) return message;
  const model = modelAt(path, start, context);
  if (!isOutside(model, near.slice(0, -1), context)) return message;
  const seen = model.fields.filter((field) => !isHidden(field)).map(({ name }) => name);
  const other = nearestWord(path.slice(path.lastIndexOf("/") + 1), seen);
  return other === undefined ? `${said}.` : `${said}; did you mean ${other}?`;
}

/** The model that a key of a body stands in. */
function modelAt(path: string, start: Model, context: SeenContext): Model {
  let model = start;
  for (const segment of path.split("/").slice(0, -1)) {
    const field = model.fieldsByName.get(segment);
    if (field?.kind === "relation") model = context.seen.get(field.type) ?? model;
  }
  return model;
}

/** Whether a fault is about what the caller sees, or has named. */
function isTold(path: string, start: Model, context: SeenContext): boolean {
  let model = start;
  for (const name of fromJsonPointer(path)) {
    const field = model.fieldsByName.get(name);
    if (field === undefined) continue;
    if (isOutside(model, field.name, context)) return false;
    const related = field.kind === "relation" ? context.seen.get(field.type) : undefined;
    if (related === undefined) return true;
    model = related;
  }
  return true;
}
