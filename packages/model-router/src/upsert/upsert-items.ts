import { httpErrors, type ValidationIssue } from "@servicekit/core";
import { toJsonPointer } from "@servicekit/core/internal";
import type { UniqueKey } from "@servicekit/prisma";
import type { Request } from "express";
import { sees } from "../access/request-access.js";
import { valuesText } from "../operations/find-rows.js";
import { placeOfList } from "../resource/body/list-in-data.js";
import { settableKeys } from "../resource/body/settable-keys.js";
import type { WritableModel } from "../resource/body/writable-model.js";
import type { Row } from "../resource/values/to-json.js";

/** The unique keys that bodies of the caller can set. */
export const conflictKeys = (request: Request, writable: WritableModel): readonly UniqueKey[] =>
  settableKeys(writable).filter(({ fields }) =>
    fields.every(({ name }) => sees(request, writable.resource.model, name)),
  );

/**
 * The validated items of a bulk upsert.
 *
 * @throws {HttpError} 400 that names each relation, and each item without a value of the key or with that of another
 */
export function upsertItems(request: Request, { fields }: UniqueKey, { resource: { model } }: WritableModel) {
  const items = request.body as readonly Row[];
  const at = placeOfList(items);
  const seen = new Set<string>();
  const errors = items.flatMap((item, index): ValidationIssue[] => {
    const issue = (name: string, code: string, message: string): ValidationIssue => ({
      ...{ in: "body", path: toJsonPointer([...at, index, name]), code, message },
    });
    const relations = Object.keys(item).filter((name) => model.fieldsByName.get(name)?.kind === "relation");
    const text = valuesText(fields, item);
    const isTwice = text !== undefined && seen.has(text);
    if (text !== undefined) seen.add(text);
    return [
      ...relations.map((name) => issue(name, "InvalidValue", `${name} cannot be set together with onConflict.`)),
      ...fields.flatMap(({ name }) =>
        item[name] === undefined || item[name] === null
          ? [issue(name, "RequiredValue", "onConflict needs a value here.")]
          : [],
      ),
      ...(isTwice ? [issue(fields[0]?.name ?? "", "Duplicate", "This value of onConflict appears twice.")] : []),
    ];
  });
  if (errors.length > 0) throw httpErrors.ValidationError(undefined, { errors });
  return { items, at };
}
