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

/** The place of the items in the body, and the names of the key. */
export interface ItemPlace extends Pick<UpsertItems, "at">, Pick<SettableKey, "names"> {}

/**
 * Checks that no two items mean the same row.
 *
 * @param rows a value of each item, equal for the same row; `undefined` for one without a row
 * @throws {HttpError} 400 that names each of them
 */
export function checkDifferent(rows: readonly unknown[], { at, names }: ItemPlace): void {
  const counts = new Map<unknown, number>();
  for (const row of rows) if (row !== undefined) counts.set(row, (counts.get(row) ?? 0) + 1);
  const message = "Another item has the same value of onConflict.";
  const errors = rows.flatMap((row, index): ValidationIssue[] => {
    if ((counts.get(row) ?? 0) < 2) return [];
    return [{ in: "body", path: toJsonPointer([...at, index, names[0] ?? ""]), code: "Duplicate", message }];
  });
  if (errors.length > 0) throw httpErrors.ValidationError(undefined, { errors });
}

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
  const texts = items.map((item) => valuesText(fields, { ...newValues, ...item }));
  const errors = items.flatMap((item, index): ValidationIssue[] => {
    const issue = (name: string, code: string, message: string): ValidationIssue => ({
      ...{ in: "body", path: toJsonPointer([...at, index, name]), code, message },
    });
    const relations = Object.keys(item).filter((name) => model.fieldsByName.get(name)?.kind === "relation");
    return [
      ...relations.map((name) => issue(name, "InvalidValue", `${name} cannot be set together with onConflict.`)),
      ...names.flatMap((name) =>
        item[name] === undefined || item[name] === null
          ? [issue(name, "RequiredValue", "onConflict needs a value here.")]
          : [],
      ),
    ];
  });
  if (errors.length > 0) throw httpErrors.ValidationError(undefined, { errors });
  checkDifferent(texts, { at, names });
  return { items, rows: items.map((item) => ({ ...newValues, ...item })), at };
}
