import { isPlainObject } from "@servicekit/core/internal";
import type { Model } from "@servicekit/prisma";
import type { Request } from "express";
import { modelQuery, modelState } from "../request/request-state.js";
import type { Resource } from "../resource/resource.js";
import { accessOf, guardOf } from "./request-access.js";

/** The models that a query may reach through relations: those whose names are in its filter, order, selection or groups. */
export function relatedModels(
  request: Request,
  model: Model,
  resources: ReadonlyMap<string, { readonly model: Model }>,
): readonly Model[] {
  const { where, orderBy, select } = modelQuery(request);
  const { aggregated } = modelState(request);
  const names = new Set([...keysIn([where, orderBy, select, aggregated?.where]), ...(aggregated?.relations ?? [])]);
  const found = new Set<Model>();
  const follow = ({ fields }: Model): void => {
    for (const field of fields) {
      if (field.kind !== "relation" || !names.has(field.name)) continue;
      const target = resources.get(field.type)?.model;
      if (target === undefined || found.has(target)) continue;
      found.add(target);
      follow(target);
    }
  };
  follow(model);
  return [...found];
}

/** The keys of all objects in a value. */
function* keysIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* keysIn(item);
  if (!isPlainObject(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    yield key;
    yield* keysIn(inner);
  }
}

/**
 * Whether no row rule applies to a list: neither to its rows, nor to related rows in its query. The statistics of the database are
 * those of all rows.
 */
export async function readsEveryRow(request: Request, { model }: Resource): Promise<boolean> {
  const guard = guardOf(request);
  if (guard === undefined) return true;
  if (modelState(request).rows !== undefined) return false;
  const related = relatedModels(request, model, accessOf(request).view.resources);
  const rules = await Promise.all(related.map(({ name }) => guard.readable(name)));
  return rules.every((rule) => rule === undefined);
}
