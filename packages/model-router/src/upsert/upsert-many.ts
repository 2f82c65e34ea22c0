import type { Database, Delegate } from "@servicekit/prisma";
import { ormErrors, sizeOf, writeKey, writtenTooLarge } from "@servicekit/prisma/internal";
import { composeHandlers } from "@servicekit/router/internal";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { callersResource } from "../access/request-access.js";
import { requireRight } from "../access/require-right.js";
import { shownOfWrite } from "../access/shown-of-write.js";
import { keysWhere } from "../operations/bulk-keys.js";
import { keyOnly, valuesText } from "../operations/find-rows.js";
import { runAndStore } from "../pipeline/run-and-store.js";
import { addModelState, modelLocals, type ShownOfRow } from "../request/request-state.js";
import { settableKeys } from "../resource/body/settable-keys.js";
import type { WritableModel } from "../resource/body/writable-model.js";
import { type KeyWhere, keyText } from "../resource/key.js";
import { readUpsert, type Upsert } from "../resource/query/read-upsert.js";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";
import { type OperationSteps, operationSteps } from "../steps/operation-steps.js";
import type { ModelRoutes } from "../steps/route-source.js";
import { sendDryRun } from "./dry-run.js";
import { type Existing, findExisting } from "./existing-rows.js";
import { makePart, type Part, type PartItems, type WrittenRows } from "./part.js";
import { isRace, maxAttempts } from "./race.js";
import { rollBack } from "./roll-back.js";
import { makeCompleteCheck } from "./upsert-body.js";
import { checkDifferent, conflictKeys, type ItemPlace, type UpsertItems, upsertItems } from "./upsert-items.js";

/** How a bulk create is executed. */
export interface BulkCreateOptions {
  /** The query of the request, without what another step has read. */
  readonly search: string;
  /** Whether all writes are rolled back. */
  readonly isDryRun: boolean;
}

/** Handles a bulk create with options, and returns whether the query concerns it. */
export type BulkCreateHandler = (
  request: Request,
  response: Response,
  next: NextFunction,
  options: BulkCreateOptions,
) => Promise<boolean>;

/**
 * Handles `POST /many?onConflict=…` (contract C99): creates the items without a row, and updates or skips the others,
 * all in one transaction, with the hooks and rules of both operations.
 */
export function upsertMany(routes: ModelRoutes): BulkCreateHandler {
  const { resource, source } = routes;
  const writable = source.writables.get(resource.model.name) as WritableModel;
  const keys = settableKeys(writable);
  const steps = {
    create: operationSteps("createMany", routes, { search: "" }),
    update: operationSteps("updateMany", routes, { search: "" }),
  };
  const checkComplete = makeCompleteCheck(routes);
  return async (request, response, next, { search, isDryRun }) => {
    const limits = source.settings.query;
    const upsert = readUpsert(search, () => conflictKeys(request, resource.model, keys), { limits });
    if (upsert === undefined) return false;
    const own = callersResource(request, resource);
    await requireRight(request, resource.model, "updateMany");
    const known = source.newValues?.of(request, resource.model) ?? {};
    const list = upsertItems(request, upsert, writable, known);
    const place = { at: list.at, names: upsert.names };
    const find = () => findExisting(list.rows, upsert.key, place, request, own, source.database);
    let existing = await find();
    for (let attempt = 1; ; attempt++) {
      await checkComplete(request, list, existing.missing);
      const parts = partsOf(steps, existing, upsert, { ...list, known: () => known });
      const skipped = upsert.resolution === "ignore" ? [...existing.found] : [];
      let skippedRows: WrittenRows = { rows: [], shown: undefined };
      const setResult = (response: Response): void => {
        const ofSkipped = { indexes: skipped.map(([index]) => index), status: 200 as const, written: skippedRows };
        setRows([...parts, ofSkipped], request, response);
      };
      const writeIn = async (transaction: Database): Promise<void> => {
        for (const part of parts) await part.run(transaction, request, response);
        skippedRows = await readSkipped(skipped, own, request, transaction);
        setResult(response);
        const { responseBytes } = source.settings;
        if (sizeOf(modelLocals(response).data, responseBytes) > responseBytes) throw writtenTooLarge(responseBytes);
      };
      const write = (database: Database): Promise<void> =>
        isDryRun ? rollBack(database, writeIn) : database.transaction(writeIn);
      const store = isDryRun ? undefined : source.responseStoreOf?.(request);
      try {
        for (const part of parts) await part.prepare(request, response);
        if (store === undefined) await write(source.database);
        else await runAndStore(store, { database: source.database, resource }, request, response, write);
      } catch (error) {
        if (attempt < maxAttempts && isRace(error, upsert.key)) {
          await checkEach(list.rows, upsert, place, source.database.of(resource.model));
          const before = existing;
          existing = await find();
          // Only another request can have taken the values, unless a row that is not updated has them.
          if (!existing.isTaken || existing.state !== before.state) continue;
        }
        let located = error;
        for (const part of parts) located = await part.locate(located, source, own);
        throw located;
      }
      if (isDryRun) {
        sendDryRun(steps.create.send, request, response, next);
        return true;
      }
      const combine: RequestHandler = (_request, to, proceed) => {
        setResult(to);
        proceed();
      };
      composeHandlers([...parts.map(({ after }) => after), combine, steps.create.send])(request, response, next);
      return true;
    }
  };
}

/**
 * Checks that no two items have the same key for the database.
 *
 * @throws {HttpError} 400 that names both
 */
async function checkEach(
  rows: readonly Row[],
  { key: { fields } }: Upsert,
  place: ItemPlace,
  delegate: Delegate,
): Promise<void> {
  checkDifferent(await delegate.groupEqual(rows.map((row) => keyOnly(fields, row))), place);
}

type Steps = Readonly<Record<"create" | "update", OperationSteps>>;

/** The creates and the updates, each in the order of its keys, so that concurrent requests do not deadlock. */
function partsOf(
  steps: Steps,
  { found, missing }: Existing,
  { key, names, resolution }: Upsert,
  { items, rows, at, known }: UpsertItems & Pick<PartItems, "known">,
): Part[] {
  const textOf = (index: number): string => valuesText(key.fields, rows[index] ?? {})?.toLowerCase() ?? "";
  const created = missing.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
  const changes = ([index, id]: readonly [number, KeyWhere]): Row => {
    const others = Object.entries(items[index] ?? {}).filter(([name]) => !names.includes(name));
    return { ...Object.fromEntries(others), id };
  };
  const updated = resolution === "merge" ? [...found] : [];
  const parts: PartItems[] = [
    { at, known, steps: steps.create, status: 201, indexes: created, body: created.map((index) => items[index] ?? {}) },
    {
      ...{ at, known, steps: steps.update, status: 200 },
      ...{ indexes: updated.map(([index]) => index), body: updated.map(changes) },
    },
  ];
  return parts.filter(({ indexes }) => indexes.length > 0).map(makePart);
}

/** The rows of skipped items, in their order. */
async function readSkipped(
  skipped: readonly (readonly [number, KeyWhere])[],
  resource: Resource,
  request: Request,
  database: Database,
): Promise<WrittenRows> {
  if (skipped.length === 0) return { rows: [], shown: undefined };
  const { model, rowSelect } = resource;
  const keys = skipped.map(([, key]) => key);
  const found = await database.of(model).findMany({ where: keysWhere(resource, keys), select: rowSelect });
  const rows = new Map(found.map((row) => [writeKey(model, row), row]));
  const inOrder = keys.map((key) => rows.get(keyText(model, key))).filter((row) => row !== undefined);
  // A row that was deleted in between can be created now.
  if (inOrder.length < keys.length) throw ormErrors.NotFound();
  return { rows: inOrder, shown: await shownOfWrite(request, resource, "updateMany", inOrder, database) };
}

/** Sets the rows of all parts for the response, in the order of the items. */
function setRows(
  parts: readonly Pick<Part, "indexes" | "status" | "written">[],
  request: Request,
  response: Response,
): void {
  const shownOf = new Map<Row, ShownOfRow | undefined>();
  const rows = parts.flatMap(({ indexes, status, written: { rows, shown } }) =>
    rows.map((row, at) => {
      shownOf.set(row, shown);
      // A hook may have added or removed rows: then they are last.
      return { row, status, index: (rows.length === indexes.length ? indexes[at] : undefined) ?? Infinity };
    }),
  );
  const sorted = rows.toSorted((one, other) => (one.index < other.index ? -1 : one.index > other.index ? 1 : 0));
  const statuses = sorted.map(({ status }) => status);
  Object.assign(modelLocals(response), {
    data: sorted.map(({ row }) => row),
    meta: { count: rows.length, statuses },
  });
  response.status(statuses.includes(201) ? 201 : 200);
  const isRestricted = parts.some(({ written }) => written.shown !== undefined);
  addModelState(request, {
    shown: isRestricted ? (row) => shownOf.get(row)?.(row) ?? new Set(Object.keys(row)) : undefined,
  });
}
