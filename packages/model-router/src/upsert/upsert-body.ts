import { httpErrors, type ValidationIssue } from "@servicekit/core";
import { fromJsonPointer, toJsonPointer } from "@servicekit/core/internal";
import { makeValidator } from "@servicekit/router/internal";
import type { Request } from "express";
import { z } from "zod";
import { exactNumbers } from "../module-schemas/exact-numbers.js";
import { rawSearch } from "../request/raw-path.js";
import { inputOfPartial } from "../resource/body/partial-item.js";
import { passOnLater } from "../resource/body/pass-on.js";
import { settableKeys } from "../resource/body/settable-keys.js";
import type { WritableModel } from "../resource/body/writable-model.js";
import { conflictName } from "../resource/query/read-upsert.js";
import type { Row } from "../resource/values/to-json.js";
import type { ModelRoutes } from "../steps/route-source.js";
import { conflictKeys, type UpsertItems } from "./upsert-items.js";

/**
 * Chooses the schema of a bulk create by its query: with `onConflict`, items of existing rows may be partial (contract
 * C99).
 */
export function upsertBody({ resource, source, schemas }: ModelRoutes): (request: Request) => z.ZodType | undefined {
  const keys = settableKeys(source.writables.get(resource.model.name) as WritableModel);
  const cache = new Map<string, z.ZodType>();
  return (request) => {
    const search = rawSearch(request);
    if (!search.includes("onConflict")) return undefined;
    const wanted = new URLSearchParams(search).get("onConflict")?.split(",").toSorted().join();
    // The view of the body has determined what the caller sees, if callers differ.
    const visible = source.bodyView === undefined ? keys : conflictKeys(request, resource.model, keys);
    const key = visible.find(({ names }) => names.toSorted().join() === wanted);
    if (key === undefined) return undefined;
    const name = conflictName(key);
    const schema = cache.get(name) ?? z.lazy(() => exactNumbers(schemas().upsertMany(key.names), passOnLater));
    cache.set(name, schema);
    return schema;
  };
}

/**
 * Creates the check that the items of new rows are complete.
 *
 * @returns a function that throws a 400 that names the missing values of each item
 */
export function makeCompleteCheck({ resource, source, schemas }: ModelRoutes) {
  const validate = makeValidator(z.lazy(() => exactNumbers(schemas().createMany, passOnLater)));
  return async (request: Request, { items, at }: UpsertItems, missing: readonly number[]): Promise<void> => {
    const indexes = missing.filter((index) => inputOfPartial(items[index] ?? {}) !== undefined);
    if (indexes.length === 0) return;
    const inputs = indexes.map((index) => inputOfPartial(items[index] as Row));
    const verdict = await validate(inputs, "body");
    if (verdict.valid) return;
    const placed = verdict.issues.map((issue): ValidationIssue => {
      const [position = "", ...rest] = fromJsonPointer(issue.path);
      return { ...issue, path: toJsonPointer([...at, indexes[Number(position)] ?? position, ...rest]) };
    });
    const view = await source.bodyView?.(request, resource.model.name);
    const errors = view === undefined ? placed : view.report(placed);
    throw httpErrors.ValidationError(undefined, { errors, stack: false });
  };
}
