import { type HttpError, httpErrors } from "@servicekit/core";
import { joinOr } from "@servicekit/core/internal";
import type { Schema } from "@servicekit/router";
import { clearCookies } from "../tokens/token-carrier.js";
import type { UserRecord, UserRow } from "../users/user-store.js";
import { accountOf, bodyOf, type Endpoint, type EndpointContext, localsOf } from "./endpoint.js";
import { provePassword } from "./prove-password.js";
import { refuseTakenNames } from "./refuse-taken-names.js";
import { sendNotice } from "./send-mail.js";

const path = "/users/me";

/** `GET /users/me`. The user was read to sign the request in. */
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
      if (signedIn === undefined) throw new TypeError("The route needs the step of authentication.");
      localsOf(response).data = signedIn.caller.user;
    },
    documentation: { summary: "The current user", description: "Who the access token of the request belongs to." },
  };
}

/** What a change of the current user does besides. */
export interface UpdateMeOptions {
  /** Knows `currentPassword` where names can be changed. */
  readonly body: Schema;
  /** Is told of each user whose address is another one now. */
  readonly onNewEmail?: (user: UserRecord) => void;
}

/**
 * `PATCH /users/me`: never the password, a role or a flag (contract C28). Whoever has another's `email` or login name has the
 * account, so a change of one asks for the password too, and is told where the account's mails went so far.
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
        await provePassword(request, response, context);
        await refuseTakenNames(Object.fromEntries(names.map((name) => [name, changes[name]])), context, record);
      }
      const changed = Object.keys(changes).length === 0 ? record : await context.users.update(record, changes);
      localsOf(response).data = changed.user;
      if (names.length > 0) sendNotice("names-changed", record, context);
      if (changed.email !== record.email) onNewEmail?.(changed);
    },
    documentation: {
      summary: "Change the current user",
      description: `A change of ${joinOr(namesOf(context))} needs \`currentPassword\`.`,
      errors: [
        { status: 401, code: "InvalidCredentials", description: "The current password is wrong." },
        { status: 503, code: "TooManyPasswords", description: "Too many passwords wait to be checked." },
        { status: 409, code: "UniqueConstraint", description: "Another user has the same values." },
      ],
    },
  };
}

function namesOf({ names, users }: EndpointContext): readonly string[] {
  return [...names.fields].filter((field) => field !== "email" || users.has.email);
}

/** What a body changes, names in the spelling that is kept, and which names are other ones then. */
function readChanges(
  given: UserRow,
  { user, email }: UserRecord,
  { names }: EndpointContext,
): { readonly changes: UserRow; readonly names: readonly string[] } {
  const now: UserRow = { email, ...user };
  const isOther = (row: UserRow) => (field: string) =>
    Object.hasOwn(row, field) && row[field] !== undefined && row[field] !== now[field];
  const written = [...names.fields].filter(isOther(given));
  // A name from before the one spelling stays as it is where a body only repeats it.
  const changes = { ...given, ...names.toKept(Object.fromEntries(written.map((field) => [field, given[field]]))) };
  return { changes, names: written.filter(isOther(changes)) };
}

function passwordMissing(names: readonly string[]): HttpError {
  const message = `A change of ${names.join(" and ")} needs the current password.`;
  return httpErrors.ValidationError(undefined, {
    errors: [{ in: "body", path: "/currentPassword", code: "RequiredValue", message }],
  });
}

/** `DELETE /users/me`: marks the user as deleted where the model can, else deletes (contract C28). */
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
      description: "The user is signed out too; where the model can keep deleted users, it is kept as one.",
      errors: [{ status: 409, code: "ForeignKeyConstraint", description: "Other records refer to the user." }],
    },
  };
}
