import type { Schema } from "@servicekit/router";
import { clearTokenCookie } from "../tokens/token-carrier.js";
import type { UserRecord } from "../users/user-store.js";
import { bodyOf, type Endpoint, type EndpointContext, localsOf, sessionOf } from "./endpoint.js";

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
      localsOf(response).data = sessionOf(request, context).record.user;
    },
    documentation: { summary: "The current user" },
  };
}

/** What a change of the current user does besides. */
export interface UpdateMeOptions {
  readonly body: Schema;
  /** Is told of each user whose address is another one now. */
  readonly onNewEmail?: (user: UserRecord) => void;
}

/** `PATCH /users/me`: never the password, a role or a flag (contract C28). */
export function updateMeEndpoint(context: EndpointContext, { body, onNewEmail }: UpdateMeOptions): Endpoint {
  return {
    method: "patch",
    path,
    act: "UpdateMe",
    authentication: true,
    body,
    status: 200,
    async run(request, response) {
      const { record } = sessionOf(request, context);
      const changes = bodyOf(request);
      const changed = Object.keys(changes).length === 0 ? record : await context.users.update(record, changes);
      localsOf(response).data = changed.user;
      if (changed.email !== record.email) onNewEmail?.(changed);
    },
    documentation: {
      summary: "Change the current user",
      errors: [{ status: 409, code: "UniqueConstraint", description: "Another user has the same values." }],
    },
  };
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
      await context.users.remove(sessionOf(request, context).record.id);
      clearTokenCookie(response, context.settings.jwt);
    },
    documentation: {
      summary: "Delete the current user",
      errors: [{ status: 409, code: "ForeignKeyConstraint", description: "Other records refer to the user." }],
    },
  };
}
