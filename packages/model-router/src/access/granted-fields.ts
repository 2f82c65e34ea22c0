import { httpErrors, type ValidationIssue } from "@servicekit/core";
import { isPlainObject, toJsonPointer } from "@servicekit/core/internal";
import type { Model } from "@servicekit/prisma";
import { type Caller, callerOf } from "@servicekit/router";
import type { Request } from "express";
import type { UserInfo } from "../resource/body/writable-model.js";
import type { Operation } from "../resource/config/operation.js";
import { isOutside } from "./conceal-keys.js";
import { accessOf } from "./request-access.js";

/** What determines which fields of a user only superusers set. */
export interface GrantSettings {
  readonly users: UserInfo;
  /** The fields that the configuration opens by name to every caller with write access to users. */
  readonly delegated: readonly string[];
}

/** The names of the fields that the caller of a request may not set. */
export type WithheldFields = (request: Request) => ReadonlySet<string>;

/** @throws {HttpError} 403 that names each field which the caller may not set */
export type CheckGrants = (request: Request) => void;

/** Whether a caller may set any field of a user: a superuser with a session, not one of their API keys. */
export const grantsAll = (caller: Caller | undefined): boolean =>
  caller?.isSuperUser === true && caller.keyId === undefined;

/**
 * Determines which fields of users a caller may not set: fields that grant permissions or give access to an account are
 * set by superusers only (contract C85).
 *
 * @param model the unrestricted model
 * @returns `undefined` for models other than that of users
 */
export function withheldFields(
  operation: Operation,
  model: Model,
  { users, delegated }: GrantSettings,
): WithheldFields | undefined {
  if (model.name !== users.model) return undefined;
  const isUpdate = operation === "updateOne" || operation === "updateMany";
  const restricted = (names: readonly string[]): ReadonlySet<string> =>
    new Set(names.filter((name) => model.fieldsByName.has(name) && !delegated.includes(name)));
  const ofCallers = restricted([...users.administered, ...(isUpdate ? users.credentials : [])]);
  // A leaked key must not become a password that outlives it.
  const ofKeys = restricted([...users.administered, ...(isUpdate ? users.credentials : [users.password])]);
  return (request) => {
    const caller = callerOf(request);
    if (grantsAll(caller)) return none;
    return caller?.keyId === undefined ? ofCallers : ofKeys;
  };
}

const none: ReadonlySet<string> = new Set();

/**
 * Creates the check of a body of users for {@link withheldFields}. It reads the body as it was sent, so that defaults of
 * a schema and hooks may set these fields.
 *
 * @param model the unrestricted model
 * @returns `undefined` for models other than that of users
 */
export function makeGrantCheck(operation: Operation, model: Model, settings: GrantSettings): CheckGrants | undefined {
  const withheld = withheldFields(operation, model, settings);
  if (withheld === undefined) return undefined;
  const context = { models: new Map([[model.name, model]]) };
  return (request) => {
    const names = withheld(request);
    if (names.size === 0) return;
    const isKey = callerOf(request)?.keyId !== undefined;
    const seen = accessOf(request).view.models.get(model.name) ?? model;
    const errors = rowsOf(request.body).flatMap(([place, row]) =>
      Object.keys(row)
        .filter((name) => names.has(name) && !isOutside(seen, name, context))
        .map((name): ValidationIssue => {
          const message = `Only a superuser${isKey ? " with a session" : ""} can set ${name} of a user.`;
          return { in: "body", path: toJsonPointer([...place, name]), code: "Forbidden", message };
        }),
    );
    if (errors.length > 0) throw httpErrors.Forbidden(undefined, { errors });
  };
}

type Place = readonly (string | number)[];
type PlacedRow = readonly [place: Place, row: Readonly<Record<string, unknown>>];

/** The rows of a body: an object, a list, or a list in `data`. */
function rowsOf(body: unknown): readonly PlacedRow[] {
  if (Array.isArray(body)) return listed(body, []);
  if (!isPlainObject(body)) return [];
  return Array.isArray(body.data) ? [[[], body], ...listed(body.data, ["data"])] : [[[], body]];
}

const listed = (list: readonly unknown[], place: Place): readonly PlacedRow[] =>
  list.flatMap((row, index): readonly PlacedRow[] => (isPlainObject(row) ? [[[...place, index], row]] : []));
