import { randomUUID } from "node:crypto";
import { httpErrors } from "@servicekit/core";
import { fromJsonPointer, isPlainObject, nearestWord } from "@servicekit/core/internal";
import { type Model, type Models } from "@servicekit/prisma";
import { isHidden } from "@servicekit/prisma/internal";
import { type BodyView } from "@servicekit/router";
import { passLongNumbers } from "@servicekit/router/internal";

/** The models of a caller next to the unrestricted ones. */
export interface SeenContext {
  readonly seen: Models;
  /**
   * The unrestricted models without access rules; fields hidden from everyone, such as a password, are left to the body
   * schema.
   */
  readonly models: Models;
}

/** No schema has a key with this suffix. */
const mark = randomUUID();

/**
 * Renames the keys of a body that the caller may not see before it is validated: they get a name unknown to every
 * schema, so that their errors equal those of unknown keys, at the same place among other issues (contract C11, C30).
 */
export function bodyViewOf(model: Model, context: SeenContext): BodyView {
  return {
    conceal(body) {
      const concealed = conceal(body, model, context);
      passLongNumbers(body, concealed, (place) => placeIn(place, model, context));
      return concealed;
    },
    /** @throws {HttpError} 403 if every issue is outside the view: the caller cannot correct the body */
    report(issues) {
      const visible = issues.filter(({ path }) => isVisible(path, model, context));
      if (visible.length === 0) throw httpErrors.Forbidden();
      return visible.map((issue) => ({
        ...issue,
        path: plain(issue.path),
        message: withoutNames(plain(issue.message), issue.path, model, context),
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

/** The place in the concealed body of a place in the original one. */
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

/** Whether a key is renamed, or may contain renamed ones. */
const isTouched = (key: string, model: Model, context: SeenContext): boolean =>
  model.fieldsByName.get(key)?.kind === "relation" || isOutside(model, key, context);

/** Whether a field exists, but is not visible to this caller. */
export function isOutside(model: Model, name: string, { models }: Pick<SeenContext, "models">): boolean {
  const field = model.fieldsByName.get(name);
  const unrestricted = models.get(model.name)?.fieldsByName.get(name);
  return field !== undefined && isHidden(field) && !(unrestricted !== undefined && isHidden(unrestricted));
}

/** The suggested key must be visible to the caller. */
function withoutNames(message: string, path: string, start: Model, context: SeenContext): string {
  const [text = "", near] = message.split(". Did you mean ", 2);
  if (near === undefined) return message;
  const model = modelAt(path, start, context);
  if (!isOutside(model, near.slice(0, -1), context)) return message;
  const key = path.slice(path.lastIndexOf("/") + 1);
  const seen = model.fields.filter((field) => !isHidden(field) && field.name !== key).map(({ name }) => name);
  const other = nearestWord(key, seen);
  return other === undefined ? `${text}.` : `${text}. Did you mean ${other}?`;
}

/** The model at a key of a body. */
function modelAt(path: string, start: Model, context: SeenContext): Model {
  let model = start;
  for (const segment of path.split("/").slice(0, -1)) {
    const field = model.fieldsByName.get(segment);
    if (field?.kind === "relation") model = context.seen.get(field.type) ?? model;
  }
  return model;
}

/** Whether an issue is about visible fields, or fields that the caller has named. */
function isVisible(path: string, start: Model, context: SeenContext): boolean {
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
