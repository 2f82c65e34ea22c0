import { httpErrors, type ValidationIssue } from "@servicekit/core";
import { toJsonPointer } from "@servicekit/core/internal";
import type { Model } from "@servicekit/prisma";
import type { Request } from "express";
import { sees } from "../access/request-access.js";
import { valuesText } from "../operations/find-rows.js";
import { placeOfList } from "../resource/body/list-in-data.js";
import type { WritableModel } from "../resource/body/writable-model.js";
import type { SettableKey } from "../resource/key.js";
import type { Row } from "../resource/values/to-json.js";

/** The keys that bodies of the caller can set, of those that some body can. */
export const conflictKeys = (request: Request, model: Model, keys: readonly SettableKey[]): readonly SettableKey[] =>
  keys.filter(({ names }) => names.every((name) => sees(request, model, name)));

/** The items of a bulk upsert. */
export interface UpsertItems {
  readonly items: readonly Row[];
  /** The same with the values that no body sets. */
  readonly rows: readonly Row[];
  /** The place of the list in the body. */
  readonly at: readonly string[];
}

/**
 * The validated items of a bulk upsert.
 *
 * @param newValues the values of new rows that no body sets, which may be a part of the key
 * @throws {HttpError} 400 that names each relation, and each item without a value of the key or with that of another
 */
export function upsertItems(
  request: Request,
  { key: { fields }, names }: SettableKey,
  { resource: { model } }: WritableModel,
  newValues: Row,
): UpsertItems {
  const items = request.body as readonly Row[];
  const at = placeOfList(items);
  const seen = new Set<string>();
  const errors = items.flatMap((item, index): ValidationIssue[] => {
    const issue = (name: string, code: string, message: string): ValidationIssue => ({
      ...{ in: "body", path: toJsonPointer([...at, index, name]), code, message },
    });
    const relations = Object.keys(item).filter((name) => model.fieldsByName.get(name)?.kind === "relation");
    const text = valuesText(fields, { ...newValues, ...item });
    const isTwice = text !== undefined && seen.has(text);
    if (text !== undefined) seen.add(text);
    return [
      ...relations.map((name) => issue(name, "InvalidValue", `${name} cannot be set together with onConflict.`)),
      ...names.flatMap((name) =>
        item[name] === undefined || item[name] === null
          ? [issue(name, "RequiredValue", "onConflict needs a value here.")]
          : [],
      ),
      ...(isTwice ? [issue(names[0] ?? "", "Duplicate", "This value of onConflict appears twice.")] : []),
    ];
  });
  if (errors.length > 0) throw httpErrors.ValidationError(undefined, { errors });
  return { items, rows: items.map((item) => ({ ...newValues, ...item })), at };
}
