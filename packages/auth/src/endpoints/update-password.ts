import { z } from "zod";
import { newPasswordSchema, passwordSchema, readNewPassword } from "../credentials/password/check-password.js";
import { makeWaitingClient } from "../limits/make-waiting-client.js";
import { accountOf, bodyOf, type Endpoint, type EndpointContext, giveToken } from "./endpoint.js";
import { verifyPassword, wrongPassword } from "./verify-password.js";

/** `POST /auth/update-password`: sets a new password with the old one, and returns a new token (contract C28). */
export function updatePasswordEndpoint(context: EndpointContext): Endpoint {
  const { users, hasher } = context;
  return {
    method: "post",
    path: "/auth/update-password",
    act: "UpdatePassword",
    authentication: true,
    body: z.strictObject({ currentPassword: passwordSchema, newPassword: newPasswordSchema }),
    status: 200,
    givesToken: true,
    async run(request, response) {
      const next = await readNewPassword(bodyOf(request).newPassword, "newPassword");
      await verifyPassword(request, response, context);
      const { record, claims } = accountOf(request, context);
      const changed = await users.setPassword(record, await hasher.hash(next, makeWaitingClient(request, response)));
      // Another request has changed it meanwhile, so the verified password is no longer the current one.
      if (changed === undefined) throw wrongPassword();
      await giveToken(changed, request, response, context, claims.sid);
    },
    documentation: {
      summary: "Change the password",
      description:
        "Revokes all earlier access tokens and ends all other sessions. The response contains a new access token.",
      errors: [
        { status: 401, code: "InvalidCredentials", description: "The current password is wrong." },
        { status: 503, code: "TooManyPasswords", description: "Too many passwords are queued for hashing." },
      ],
    },
  };
}
