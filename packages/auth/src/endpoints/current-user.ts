import { type HttpError, httpErrors } from "@servicekit/core";
import { joinOr } from "@servicekit/core/internal";
import type { Schema } from "@servicekit/router";
import { clearCookies } from "../tokens/token-carrier.js";
import type { UserRecord, UserRow } from "../users/user-store.js";
import { accountOf, bodyOf, type Endpoint, type EndpointContext, localsOf } from "./endpoint.js";
import { rejectTakenNames } from "./reject-taken-names.js";
import { sendNotice } from "./send-mail.js";
import { verifyPassword } from "./verify-password.js";

const path = "/users/me";

/** `GET /users/me`. The user was read by the authentication. */
export function getMeEndpoint(context: EndpointContext): Endpoint {
  return {
    method: "get",
    path,
    act: "GetMe",
    authentication: true,
    body: false,
    status: 200,
    async run(request, response) {
      const signedIn = context.authenticator.signedInOf(request);
      if (signedIn === undefined) throw new TypeError("The route requires the authentication step.");
      localsOf(response).data = signedIn.caller.user;
    },
    documentation: { summary: "The current user", description: "Returns the owner of the access token." },
  };
}

/** The side effects of an update of the current user. */
export interface UpdateMeOptions {
  /** Includes `currentPassword` if names can be changed. */
  readonly body: Schema;
  /** Called for each user whose address has changed. */
  readonly onNewEmail?: (user: UserRecord) => void;
}

/**
 * `PATCH /users/me`: never the password, a role or a flag (contract C28). An `email` or login name gives access to the
 * account, so a change of one requires the password, and is reported to the previous address.
 */
export function updateMeEndpoint(context: EndpointContext, { body, onNewEmail }: UpdateMeOptions): Endpoint {
  return {
    method: "patch",
    path,
    act: "UpdateMe",
    authentication: true,
    body,
    status: 200,
    async run(request, response) {
      const { record } = accountOf(request, context);
      const { currentPassword, ...given } = bodyOf(request);
      const { changes, names } = readChanges(given, record, context);
      if (names.length > 0) {
        if (currentPassword === undefined) throw passwordMissing(names);
        await verifyPassword(request, response, context);
        await rejectTakenNames(Object.fromEntries(names.map((name) => [name, changes[name]])), context, record);
      }
      const changed = Object.keys(changes).length === 0 ? record : await context.users.update(record, changes);
      localsOf(response).data = changed.user;
      if (names.length > 0) sendNotice("names-changed", record, context);
      if (changed.email !== record.email) onNewEmail?.(changed);
    },
    documentation: {
      summary: "Update the current user",
      description: `Changing ${joinOr(namesOf(context))} requires \`currentPassword\`.`,
      errors: [
        { status: 401, code: "InvalidCredentials", description: "The current password is wrong." },
        { status: 503, code: "TooManyPasswords", description: "Too many passwords are queued for checking." },
        { status: 409, code: "UniqueConstraint", description: "Another user has the same values." },
      ],
    },
  };
}

function namesOf({ names, users }: EndpointContext): readonly string[] {
  return [...names.fields].filter((field) => field !== "email" || users.has.email);
}

/** The changes of a body with normalized names, and the names that differ. */
function readChanges(
  given: UserRow,
  { user, email }: UserRecord,
  { names }: EndpointContext,
): { readonly changes: UserRow; readonly names: readonly string[] } {
  const now: UserRow = { email, ...user };
  const isOther = (row: UserRow) => (field: string) =>
    Object.hasOwn(row, field) && row[field] !== undefined && row[field] !== now[field];
  const written = [...names.fields].filter(isOther(given));
  // A name from before the normalization is not changed if a body only repeats it.
  const changes = { ...given, ...names.toKept(Object.fromEntries(written.map((field) => [field, given[field]]))) };
  return { changes, names: written.filter(isOther(changes)) };
}

function passwordMissing(names: readonly string[]): HttpError {
  const message = `Changing ${names.join(" and ")} requires the current password.`;
  return httpErrors.ValidationError(undefined, {
    errors: [{ in: "body", path: "/currentPassword", code: "RequiredValue", message }],
  });
}

/** `DELETE /users/me`: marks the user as deleted if the model has such a field, otherwise deletes it (contract C28). */
export function deleteMeEndpoint(context: EndpointContext): Endpoint {
  return {
    method: "delete",
    path,
    act: "DeleteMe",
    authentication: true,
    body: false,
    status: 204,
    async run(request, response) {
      const { id } = accountOf(request, context).record;
      const { sessions, users, settings } = context;
      await users.remove(id);
      await sessions?.endAll(id);
      await context.endSuspended();
      clearCookies(response, settings.jwt, sessions !== undefined);
    },
    documentation: {
      summary: "Delete the current user",
      description:
        "Also signs the user out. A model with a field for deleted users keeps the row and marks it as deleted.",
      errors: [{ status: 409, code: "ForeignKeyConstraint", description: "Other records reference the user." }],
    },
  };
}
