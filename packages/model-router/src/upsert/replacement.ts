import type { StoredField } from "@servicekit/prisma";
import { constantDefault, dbNull } from "@servicekit/prisma/internal";
import type { Request } from "express";
import { isOutside } from "../access/conceal-keys.js";
import { callersModel } from "../access/request-access.js";
import type { WritableModel } from "../resource/body/writable-model.js";
import type { Row } from "../resource/values/to-json.js";

/**
 * The changes that replace a row by a body: each field that the caller may set and the body does not contain gets its
 * default, or null (contract C99). A value that the database or Prisma generates for new rows is unchanged.
 */
export function replacement(request: Request, body: Row, { resource: { model }, fields }: WritableModel): Row {
  const seen = callersModel(request, model);
  const context = { models: new Map([[model.name, model]]) };
  const keyNames = new Set(model.key?.fields.map(({ name }) => name));
  const initial = [...fields.values()].flatMap((field): (readonly [string, unknown])[] => {
    if (keyNames.has(field.name) || isOutside(seen, field.name, context)) return [];
    const value = initialValue(field);
    return value === undefined ? [] : [[field.name, value]];
  });
  return { ...Object.fromEntries(initial), ...body };
}

/** The value of a field in a new row without it; `undefined` for one that must be given, or is generated. */
function initialValue(field: StoredField): unknown {
  const { default: from, hasDefault, isList, isRequired, isUpdatedAt } = field;
  if (isUpdatedAt) return undefined;
  if (from === undefined) {
    if (hasDefault) return undefined;
    if (isList) return [];
    if (isRequired) return undefined;
    return field.type === "Json" ? dbNull : null;
  }
  if ("function" in from) return from.function === "now" ? new Date() : undefined;
  return Array.isArray(from.value) && isList
    ? from.value.map((value) => constantDefault(field, value))
    : constantDefault(field, from.value);
}
