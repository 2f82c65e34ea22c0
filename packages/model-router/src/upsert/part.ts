import { isHttpError } from "@servicekit/core";
import { fromJsonPointer, toJsonPointer, withErrors } from "@servicekit/core/internal";
import type { Database } from "@servicekit/prisma";
import { composeHandlers } from "@servicekit/router/internal";
import type { Request, RequestHandler, Response } from "express";
import { type ItemLookup, namingItems } from "../operations/name-items.js";
import {
  type ModelState,
  modelLocals,
  modelQuery,
  modelState,
  type OrmQuery,
  type ShownOfRow,
  setModelQuery,
} from "../request/request-state.js";
import type { KeyWhere } from "../resource/key.js";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";
import type { OperationSteps } from "../steps/operation-steps.js";
import { runSteps } from "../steps/run-steps.js";

/** The items of a bulk upsert that one operation writes. */
export interface PartItems {
  readonly steps: OperationSteps;
  /** The status of each of its rows. */
  readonly status: 200 | 201;
  /** The indexes of the items in the body of the request. */
  readonly indexes: readonly number[];
  /** The body of the operation. */
  readonly body: readonly Row[];
  /** The place of the list in the body of the request. */
  readonly at: readonly string[];
  /** Returns the values of new rows that no body sets. */
  readonly known: () => Row;
}

/** A part of a bulk upsert. */
export interface Part extends PartItems {
  /** Runs the steps before the write. */
  prepare(request: Request, response: Response): Promise<void>;
  run(transaction: Database, request: Request, response: Response): Promise<void>;
  /** The same error with the places of the items in the body of the request, if this part has failed. */
  locate(error: unknown, lookup: ItemLookup, resource: Resource): Promise<unknown>;
  /** Runs the hooks after the write with the rows of this part. */
  readonly after: RequestHandler;
  readonly written: WrittenRows;
}

/** The rows that a part has written. */
export interface WrittenRows {
  readonly rows: readonly Row[];
  readonly shown: ShownOfRow | undefined;
}

/** Creates a part; it shares the request with the others, so it sets its own body, query and state for each step. */
export function makePart(items: PartItems): Part {
  const { steps } = items;
  let prepared: { readonly body: readonly Row[]; readonly query: OrmQuery; readonly state: ModelState } | undefined;
  let written: WrittenRows = { rows: [], shown: undefined };
  let failure: unknown;
  const failing = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  return {
    ...items,
    get written() {
      return written;
    },
    prepare: (request, response) =>
      failing(async () => {
        request.body = items.body.map((row) => ({ ...row }));
        await runSteps(steps.before, request, response);
        prepared = { body: request.body as readonly Row[], query: modelQuery(request), state: modelState(request) };
      }),
    run: (transaction, request, response) =>
      failing(async () => {
        if (prepared === undefined) throw new TypeError("This part is not prepared.");
        request.body = prepared.body;
        setModelQuery(request, prepared.query, { ...prepared.state });
        await runSteps([steps.runIn(transaction)], request, response);
        written = { rows: rowsOf(response), shown: modelState(request).shown };
      }),
    async locate(error, lookup, resource) {
      if (error !== failure) return error;
      if (prepared === undefined) return atItems(error, items);
      const { body } = prepared;
      const written =
        items.status === 200
          ? { rows: body.map(({ id: _, ...row }) => row), at: [], keys: body.map(({ id }) => id as KeyWhere) }
          : { rows: body.map((row) => ({ ...items.known(), ...row })), at: [] };
      const named = namingItems(() => Promise.reject(error as Error), written, lookup, resource);
      return named.catch((located: unknown) => atItems(located, items));
    },
    after: (request, response, next) => {
      Object.assign(modelLocals(response), { data: written.rows, meta: { count: written.rows.length } });
      composeHandlers(steps.after)(request, response, (error?: unknown) => {
        if (error !== undefined) return next(error);
        written = { ...written, rows: rowsOf(response) };
        next();
      });
    },
  };
}

const rowsOf = (response: Response): readonly Row[] => [modelLocals(response).data ?? []].flat() as readonly Row[];

/** The same error with the places of the items in the body of the request. */
function atItems(error: unknown, { indexes, at }: PartItems): unknown {
  if (!isHttpError(error) || error.errors === undefined) return error;
  const only = indexes.length === 1 ? "0" : undefined;
  const errors = error.errors.map((issue) => {
    const [first = only, ...rest] = fromJsonPointer(issue.path);
    // An error without a place belongs to all items.
    const index = first === undefined ? undefined : indexes[Number(first)];
    if (issue.in !== "body" || index === undefined) return issue;
    return { ...issue, path: toJsonPointer([...at, index, ...rest]) };
  });
  return withErrors(error, errors);
}
