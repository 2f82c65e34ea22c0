import type { Model } from "@servicekit/prisma";
import type { FindPlanGaps, PlanGaps } from "@servicekit/prisma/internal";
import type { RequestHandler } from "express";
import { modelQuery, modelState } from "../request/request-state.js";
import type { Resource } from "../resource/resource.js";
import { type QueryShape, shapeOf } from "./query-shape.js";

/** An index that a list of a model could use (contract C126). */
export interface IndexHint {
  readonly model: string;
  /** The conditions and the order of the list, without values. */
  readonly query: string;
  /** What to add to the model in the schema. */
  readonly index: string;
}

/** The dependencies of index hints. */
export interface IndexHintOptions {
  readonly findGaps: FindPlanGaps;
  /** Receives each hint once. */
  readonly report: (hint: IndexHint) => void;
  /** Receives errors of the database. */
  readonly onError: (error: unknown) => void;
}

/** Creates the step of a list that looks for missing indexes after its response. */
export type IndexHints = (resource: Resource) => RequestHandler;

/** The maximum number of shapes of queries of a process, and of waiting ones. */
const maxShapes = 1_000;
const maxWaiting = 20;

/** Creates {@link IndexHints} for all models: each shape of a query is planned once, or again after an error, one after the other. */
export function makeIndexHints({ findGaps, report, onError }: IndexHintOptions): IndexHints {
  const known = new Set<string>();
  let waiting = 0;
  let last = Promise.resolve();
  return (resource) => (request, response, next) => {
    response.once("finish", () => {
      const { list } = modelState(request);
      if (list === undefined || response.statusCode !== 200 || waiting >= maxWaiting || known.size >= maxShapes) return;
      const { model } = resource;
      const shape = shapeOf(list, resource.fields);
      const name = `${model.name} ${shape?.text}`;
      if (shape === undefined || known.has(name)) return;
      known.add(name);
      waiting++;
      const { where, orderBy } = modelQuery(request);
      last = last
        .then(async () => {
          const gaps = await findGaps(model, { where, ...(orderBy === undefined ? {} : { orderBy }) });
          const index = gaps && missingIndex(model, shape, gaps);
          if (index !== undefined) report({ model: model.name, query: shape.text, index });
        })
        .catch((error: unknown) => {
          known.delete(name);
          onError(error);
        })
        .finally(() => {
          waiting--;
        });
    });
    next();
  };
}

/** The index for the conditions, followed by the order; `undefined` if none would help. */
function missingIndex(model: Model, { filtered, sorted }: QueryShape, gaps: PlanGaps): string | undefined {
  const isFilter = filtered.length > 0;
  if (isFilter ? !gaps.filter : !gaps.order) return undefined;
  // The key that ends each order has an index.
  const key = new Set(model.key?.fields.map(({ name }) => name));
  const ordered = sorted.filter(({ field }) => !key.has(field.name) && !filtered.includes(field));
  const isMixed = new Set(ordered.map(({ direction }) => direction)).size > 1;
  const names = [
    ...filtered.map(({ name }) => name),
    ...ordered.map(({ field, direction }) =>
      isMixed && direction === "desc" ? `${field.name}(sort: Desc)` : field.name,
    ),
  ];
  return names.length === 0 ? undefined : `@@index([${names.join(", ")}])`;
}
