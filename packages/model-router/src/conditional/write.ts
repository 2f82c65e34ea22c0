import { isHttpError } from "@servicekit/core";
import { type Database } from "@servicekit/prisma";
import { withExactNumbers } from "@servicekit/prisma/internal";
import {
  type EntityTags,
  findEntityTag,
  jsonFormatOf,
  readEntityTags,
  toJsonText,
  weakTagsMessage,
} from "@servicekit/router/internal";
import type { Request } from "express";
import { accessOf, callersResource } from "../access/request-access.js";
import { shownOfWrite, withoutUnshown } from "../access/shown-of-write.js";
import { notFound, preconditionFailed } from "../errors.js";
import { modelQuery, modelState } from "../request/request-state.js";
import type { Resource } from "../resource/resource.js";
import { toJsonRow } from "../resource/values/to-json.js";
import { matchesRow, readIfMatch, rowTag, shownNames } from "./row-tags.js";

/** The condition of a write of one row on its current state. */
interface Conditions {
  readonly match: EntityTags | undefined;
  readonly noneMatch: EntityTags | undefined;
}

/**
 * Executes a write of one row. If the request has `If-Match` (or `If-None-Match`) or the write a precondition, the row is
 * locked and compared first, in the transaction of the write (contract C16; RFC 9110, 13.2.2). Otherwise it costs
 * nothing.
 *
 * @throws {HttpError} 412 if the row has changed, 404 if it does not exist, 400 for a malformed `If-Match`
 */
export async function ifUnchanged<T>(
  database: Database,
  resource: Resource,
  request: Request,
  write: (database: Database) => Promise<T>,
): Promise<T> {
  const conditions = readConditions(request);
  const { precondition } = modelState(request);
  try {
    if (conditions === undefined && precondition === undefined) return await write(database);
    return await database.transaction(async (inside) => {
      await inside.of(resource.model).lock(modelQuery(request).where);
      if (conditions !== undefined) await checkUnchanged(conditions, inside, resource, request);
      await precondition?.(inside);
      return write(inside);
    });
  } catch (error) {
    // The database reports a missing row, but not which one was requested.
    throw isHttpError(error) && error.code === "NotFound" ? notFound(resource) : error;
  }
}

/** A malformed `If-None-Match` is ignored: it protects nothing here. */
function readConditions({ headers }: Request): Conditions | undefined {
  const match = readIfMatch(headers["if-match"]);
  const noneMatch = headers["if-none-match"] === undefined ? undefined : readEntityTags(headers["if-none-match"]);
  return match === undefined && noneMatch === undefined ? undefined : { match, noneMatch };
}

const nothing: ReadonlySet<string> = new Set();

async function checkUnchanged(
  { match, noneMatch }: Conditions,
  database: Database,
  resource: Resource,
  request: Request,
): Promise<void> {
  const { where, select } = modelQuery(request);
  const row = await database.of(resource.model).findUnique({ where, select });
  if (row === null) throw notFound(resource);
  const own = callersResource(request, resource);
  // By guessing tags, a caller could learn values of a row that it may change but not read.
  const operation = request.method === "DELETE" ? "deleteOne" : "updateOne";
  const { deleted = "exclude" } = modelState(request);
  const isSeen = deleted === "exclude" || (await accessOf(request).may(own.model, "findDeleted"));
  const shownOfRow = isSeen ? await shownOfWrite(request, own, operation, [row], database) : () => nothing;
  const read = shownOfRow === undefined ? row : (withoutUnshown(row, own.model, shownOfRow) ?? {});
  const shown = toJsonRow(read, own.model, accessOf(request).view.models);
  const text = withExactNumbers(toJsonText({ data: shown }, request.res && jsonFormatOf(request.res)));
  const tag = rowTag(shown, text, shownNames(own)) ?? "";
  if (match !== undefined && !matchesRow(match, tag)) {
    const message = weakTagsMessage(match) ?? "The row has changed since this tag was issued. Read it again.";
    throw preconditionFailed("/if-match", message);
  }
  if (noneMatch !== undefined && findEntityTag(noneMatch, tag) !== undefined) {
    throw preconditionFailed("/if-none-match", "The row already exists, which If-None-Match excludes.");
  }
}
