import { httpErrors, type ValidationIssue } from "@servicekit/core";
import { toJsonField } from "@servicekit/prisma/internal";
import { composeHandlers } from "@servicekit/router/internal";
import type { Request, RequestHandler } from "express";
import { callersResource, reachableWhere, sees } from "../access/request-access.js";
import { requireRight } from "../access/require-right.js";
import { readIfMatch } from "../conditional/row-tags.js";
import { notFound, preconditionFailed } from "../errors.js";
import { rawLastSegment } from "../request/raw-path.js";
import type { WritableModel } from "../resource/body/writable-model.js";
import type { Where } from "../resource/filter/where.js";
import { type KeyWhere, keyValues, readKey } from "../resource/key.js";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";
import { type OperationSteps, operationSteps } from "../steps/operation-steps.js";
import type { ModelRoutes } from "../steps/route-source.js";
import { runSteps } from "../steps/run-steps.js";
import { isRace, maxAttempts } from "./race.js";
import { replacement } from "./replacement.js";

/** What a row is to the caller: the caller may update it, it is another's, or it does not exist. */
type Existing = "own" | "foreign" | "missing";

/**
 * Handles `PUT /:id` (contract C99): updates the row with this key if it exists, and creates it otherwise, each with
 * the hooks, rules and response of that operation. If another request creates or deletes the row in between, it
 * starts again.
 */
export function replaceOne(routes: ModelRoutes): RequestHandler {
  const { resource, source } = routes;
  const { database } = source;
  const writable = source.writables.get(resource.model.name) as WritableModel;
  const create = operationSteps("createOne", routes);
  const update = operationSteps("updateOne", routes);

  const find = async (request: Request, own: Resource, key: KeyWhere): Promise<Existing> => {
    const rows = database.of(resource.model);
    const exists = async (where: Where): Promise<boolean> =>
      (await rows.findUnique({ where, select: resource.keySelect })) !== null;
    if (!(await exists(key))) return "missing";
    const rule = await reachableWhere(request, own, "updateOne");
    if (rule === undefined || (await exists({ ...key, AND: [rule] }))) return "own";
    // Another request may have deleted it since the first read.
    return (await exists(key)) ? "foreign" : "missing";
  };

  return async (request, response, next) => {
    const own = callersResource(request, resource);
    // A caller who does not see the id can name no row.
    if (own.model.key === undefined || own.model.key.name !== resource.model.key?.name) throw httpErrors.Forbidden();
    await requireRight(request, resource.model, "createOne");
    await requireRight(request, resource.model, "updateOne");
    const key = readKey(resource.model, rawLastSegment(request));
    if (key === undefined) throw notFound(own);
    const { rest, values } = splitBody(request.body as Row, key, resource);
    const mayCreate = resource.model.key.fields.every(
      ({ name }) => writable.fields.has(name) && sees(request, resource.model, name),
    );
    const match = readIfMatch(request.headers["if-match"]);
    const choose = (existing: Existing): OperationSteps => {
      if (existing === "own") {
        request.body = replacement(request, rest, writable);
        return update;
      }
      if (!mayCreate) throw notFound(own);
      if (match !== undefined) throw preconditionFailed("/if-match", "The row does not exist.");
      if (existing === "foreign") throw notFound(own);
      checkNewKey(routes, values);
      request.body = { ...rest, ...values.written };
      return create;
    };
    for (let attempt = 1; ; attempt++) {
      const existing = await find(request, own, key);
      const steps = choose(existing);
      try {
        await runSteps([...steps.before, steps.run], request, response);
      } catch (error) {
        if (attempt === maxAttempts || !isRace(error, own.model.key)) throw error;
        continue;
      }
      composeHandlers([...steps.after, steps.send])(request, response, next);
      return;
    }
  };
}

/** The values of the key in the path, as they are written, and as JSON contains them. */
interface KeyValues {
  readonly written: Row;
  readonly shown: Row;
}

/** @throws {HttpError} 400 if the body has another key than the path */
function splitBody(body: Row, key: KeyWhere, { model }: Resource): { readonly rest: Row; readonly values: KeyValues } {
  const fields = model.key?.fields ?? [];
  const written = keyValues(model, key);
  const shownOf = (row: Row): Row =>
    Object.fromEntries(fields.map((field) => [field.name, toJsonField(field, row[field.name])]));
  const shown = shownOf(written);
  const given = shownOf(body);
  const errors = fields.flatMap(({ name }): ValidationIssue[] => {
    if (body[name] === undefined || given[name] === shown[name]) return [];
    const message = `Expected the ${name} of the path, or no ${name}.`;
    return [{ in: "body", path: `/${name}`, code: "InvalidValue", message }];
  });
  if (errors.length > 0) throw httpErrors.ValidationError(undefined, { errors });
  const rest = Object.entries(body).filter(([name]) => !Object.hasOwn(shown, name));
  return { rest: Object.fromEntries(rest), values: { written, shown } };
}

/** @throws {HttpError} 400 if a body could not contain this key */
function checkNewKey({ schemas }: ModelRoutes, { shown }: KeyValues): void {
  const result = schemas().newKey.safeParse(shown);
  if (result.success) return;
  const errors = result.error.issues.map(
    ({ message }): ValidationIssue => ({ in: "params", path: "/id", code: "InvalidValue", message }),
  );
  throw httpErrors.ValidationError(undefined, { errors });
}
