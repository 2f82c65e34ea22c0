import { HttpError, httpErrors, isHttpError, type ValidationIssue } from "@servicekit/core";
import { toJsonPointer } from "@servicekit/core/internal";
import type { Database } from "@servicekit/prisma";
import {
  exactJsonText,
  isHidden,
  isStored,
  ormErrors,
  toJsonField,
  withExactNumbers,
} from "@servicekit/prisma/internal";
import { composeHandlers, makeValidator } from "@servicekit/router/internal";
import type { Request, RequestHandler } from "express";
import { z } from "zod";
import { accessOf, callersResource, reachableWhere, sees } from "../access/request-access.js";
import { requireRight } from "../access/require-right.js";
import { readIfMatch } from "../conditional/row-tags.js";
import { changeNotFound, notFound, preconditionFailed } from "../errors.js";
import { exactNumbers } from "../module-schemas/exact-numbers.js";
import { type HistorySource, type VisibleState, visibleState } from "../operations/visible-changes.js";
import { rawKey } from "../request/raw-path.js";
import { addModelState, modelLocals } from "../request/request-state.js";
import { passOnLater } from "../resource/body/pass-on.js";
import type { Right } from "../resource/config/operation.js";
import type { DeletedRows } from "../resource/config/soft-delete.js";
import { modelErrors } from "../resource/errors.js";
import { allWhere } from "../resource/filter/where.js";
import { type KeyWhere, keyText, keyValues, readKey } from "../resource/key.js";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";
import { type OperationSteps, operationSteps } from "../steps/operation-steps.js";
import type { ModelRoutes } from "../steps/route-source.js";
import { runSteps } from "../steps/run-steps.js";
import { isRace, maxAttempts } from "../upsert/race.js";
import { restorableFields } from "./restorable-fields.js";

/** The path of the route after that of the model. */
export const restoreSuffix = "/:id/history/:changeId/restore";

/** The largest id of a change. */
const maxId = 2n ** 63n - 1n;

/** How a row gets its state back. */
interface Plan {
  readonly steps: OperationSteps;
  readonly body: Row;
  /** The fields of the state that the caller may not write. */
  readonly notWritable: readonly string[];
  /** Checks, in the transaction of the write, that the row is the one that this plan was made for. */
  readonly precondition?: (database: Database) => Promise<void>;
}

/**
 * Handles `POST /:id/history/:changeId/restore` (contract C108): writes the state after a change into the row, as an
 * update of the fields that differ, or as a create if the row was deleted. If another request changes the row in
 * between, it starts again.
 */
export function restoreState(routes: ModelRoutes, history: HistorySource): RequestHandler {
  const { resource, source } = routes;
  const { model } = resource;
  const { database } = source;
  const update = operationSteps("updateOne", routes, { suffix: restoreSuffix });
  const create = operationSteps("createOne", routes);
  const isUpdatable = restorableFields("updateOne", routes);
  const isCreatable = restorableFields("createOne", routes);
  const toBody = makeBodies(routes);
  const keyNames = new Set(model.key?.fields.map(({ name }) => name));

  const planUpdate = async (request: Request, { state }: VisibleState, current: Row, key: KeyWhere): Promise<Plan> => {
    const shown = jsonOf(resource, current);
    const differing = Object.keys(state).filter(
      (name) =>
        !keyNames.has(name) && !isTimeOfUpdate(resource, name) && valueText(state[name]) !== valueText(shown[name]),
    );
    const names = differing.filter((name) => isUpdatable(request, name));
    if (differing.length > 0 && names.length === 0)
      throw httpErrors.Forbidden("The caller may not write any field that differs from this state.");
    const text = valueText(shown);
    return {
      steps: update,
      body: (await toBody("updateOne", request, pick(state, names))) as Row,
      notWritable: differing.filter((name) => !names.includes(name)),
      precondition: async (inside) => {
        const row = await inside.of(model).findUnique({ where: key, select: selectOf(state, resource) });
        if (row === null || valueText(jsonOf(resource, row)) !== text) throw ormErrors.WriteConflict();
      },
    };
  };

  const planCreate = async (request: Request, { state }: VisibleState, key: KeyWhere): Promise<Plan> => {
    if (![...keyNames].every((name) => isCreatable(request, name))) throw modelErrors.RowDeleted(notCreatable);
    await requireRight(request, model, "createOne");
    if (readIfMatch(request.headers["if-match"]) !== undefined)
      throw preconditionFailed("/if-match", "The row does not exist.");
    const names = Object.keys(state).filter((name) => !keyNames.has(name));
    const written = names.filter((name) => isCreatable(request, name));
    const values = { ...pick(state, written), ...jsonOf(resource, keyValues(model, key)) };
    return {
      steps: create,
      body: (await toBody("createOne", request, values)) as Row,
      notWritable: names.filter((name) => !written.includes(name) && !isTimeOfUpdate(resource, name)),
    };
  };

  const makePlan = async (request: Request, own: Resource, seen: VisibleState, key: KeyWhere): Promise<Plan> => {
    const rows = database.of(model);
    const reached = async (rights: readonly Right[], deleted?: DeletedRows): Promise<Row | null> => {
      const rules = await Promise.all(rights.map((right) => reachableWhere(request, own, right, deleted)));
      const rule = allWhere(rules);
      const where = rule === undefined ? key : { ...key, AND: [rule] };
      return rows.findUnique({ where, select: selectOf(seen.state, resource) });
    };
    const current = await reached(["findOne", "updateOne"]);
    if (current !== null) return planUpdate(request, seen, current, key);
    if ((await rows.findUnique({ where: key, select: resource.keySelect })) === null)
      return planCreate(request, seen, key);
    const seesDeleted = resource.deletedField !== undefined && (await accessOf(request).may(model, "findDeleted"));
    if (seesDeleted && (await reached(["findOne", "updateOne", "findDeleted"], "only")) !== null)
      throw modelErrors.RowDeleted("The record is deleted. Restore the record first, then its state.");
    throw notFound(own);
  };

  return async (request, response, next) => {
    const own = callersResource(request, resource);
    await requireRight(request, model, "findOne");
    await requireRight(request, model, "updateOne");
    const key = readKey(own.model, rawKey(request, restoreSuffix));
    const id = readChangeId(request.params.changeId);
    if (key === undefined || id === undefined) throw changeNotFound(own);
    const where = await reachableWhere(request, own, "findOne");
    const change = { model: own.model, key: keyText(own.model, key), id };
    const seen = await visibleState(history, change, { where, fields: own.shown.findOne.fields });
    if (seen === undefined) throw changeNotFound(own);
    const unknown = unknownNames(request, seen, resource);
    for (let attempt = 1; ; attempt++) {
      try {
        const { steps, body, notWritable, precondition } = await makePlan(request, own, seen, key);
        request.body = { ...body };
        modelLocals(response).meta = { restored: Object.keys(body), notWritable, unknown };
        await runSteps(steps.before, request, response);
        if (precondition !== undefined) addModelState(request, { precondition });
        await runSteps([steps.run], request, response);
        composeHandlers([...steps.after, steps.send])(request, response, next);
        return;
      } catch (error) {
        const isChanged = isHttpError(error) && error.code === "WriteConflict";
        const isRepeated = isChanged || (own.model.key !== undefined && isRace(error, own.model.key));
        if (attempt === maxAttempts || !isRepeated) throw asConflict(error);
      }
    }
  };
}

const notCreatable = "The record is deleted and cannot be created again, because bodies cannot set its id.";

function readChangeId(text: unknown): bigint | undefined {
  if (typeof text !== "string" || !/^[1-9]\d{0,18}$/.test(text)) return undefined;
  const id = BigInt(text);
  return id < maxId ? id : undefined;
}

/** Validates values like the body of an operation. */
function makeBodies({ resource: { model }, schemas, source }: ModelRoutes) {
  const validatorOf = (operation: "createOne" | "updateOne") =>
    makeValidator(z.lazy(() => exactNumbers(schemas()[operation], passOnLater)));
  const validators = { createOne: validatorOf("createOne"), updateOne: validatorOf("updateOne") };
  return async (operation: "createOne" | "updateOne", request: Request, values: Row): Promise<unknown> => {
    const long = Object.keys(values).filter((name) => exactJsonText(values[name]) !== JSON.stringify(values[name]));
    if (long.length > 0) throw httpErrors.ValidationError(undefined, { errors: long.map(longNumber) });
    const verdict = await validators[operation](values, "body");
    if (verdict.valid) return verdict.value;
    const view = await source.bodyView?.(request, model.name);
    const errors = view === undefined ? verdict.issues : view.report(verdict.issues);
    throw httpErrors.ValidationError(undefined, { errors, stack: false });
  };
}

/** Bodies cannot contain such numbers either (contract C4). */
const longNumber = (name: string): ValidationIssue => {
  const message = "A number in this value has more digits than a JSON number preserves.";
  return { in: "body", path: toJsonPointer([name]), code: "InvalidValue", message };
};

/** The recorded names that are not fields of the model; a caller who does not see all fields does not see them. */
function unknownNames(request: Request, { names }: VisibleState, { model }: Resource): readonly string[] {
  const seesAll = model.fields.every((field) => isHidden(field) || sees(request, model, field.name));
  return seesAll ? names.filter((name) => !model.fieldsByName.has(name)) : [];
}

const isTimeOfUpdate = ({ model }: Resource, name: string): boolean => {
  const field = model.fieldsByName.get(name);
  return field !== undefined && isStored(field) && field.isUpdatedAt;
};

const selectOf = (state: Row, { keySelect }: Resource): Readonly<Record<string, true>> => ({
  ...keySelect,
  ...Object.fromEntries(Object.keys(state).map((name) => [name, true as const])),
});

/** The stored fields of a row in the form of a response. */
const jsonOf = ({ model }: Resource, row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => {
      const field = model.fieldsByName.get(name);
      return field !== undefined && isStored(field) ? [[name, toJsonField(field, value)]] : [];
    }),
  );

/** One text for equal values of a recorded state and of a row. */
const valueText = (value: unknown): string => withExactNumbers(exactJsonText(value ?? null));

const pick = (row: Row, names: readonly string[]): Row => Object.fromEntries(names.map((name) => [name, row[name]]));

/** A related row that no longer exists is a conflict, because the request itself does not contain it. */
function asConflict(error: unknown): unknown {
  if (!isHttpError(error) || error.code !== "RelatedRecordNotFound") return error;
  const code = "ForeignKeyConstraint";
  const message = "A record that this state references does not exist.";
  const errors = error.errors?.map((issue) => ({ ...issue, code, message }));
  return new HttpError(409, code, message, { cause: error, ...(errors === undefined ? {} : { errors }) });
}
