import { z } from "zod";
import { newPasswordSchema, passwordSchema, readNewPassword } from "../credentials/password/check-password.js";
import { waitingClient } from "../limits/waiting-client.js";
import { accountOf, bodyOf, type Endpoint, type EndpointContext, giveToken } from "./endpoint.js";
import { provePassword, wrongPassword } from "./prove-password.js";

/** `POST /auth/update-password`: a new password for the old one, and a fresh token (contract C28). */
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
      await provePassword(request, response, context);
      const { record, claims } = accountOf(request, context);
      const changed = await users.setPassword(record, await hasher.hash(next, waitingClient(request, response)));
      // Another request has changed it since: what was proved is not the password any more.
      if (changed === undefined) throw wrongPassword();
      await giveToken(changed, request, response, context, claims.sid);
    },
    documentation: {
      summary: "Change the password",
      description:
        "Every access token from before is not accepted again, and all other sessions end; the answer brings a fresh one.",
      errors: [
        { status: 401, code: "InvalidCredentials", description: "The current password is wrong." },
        { status: 503, code: "TooManyPasswords", description: "Too many passwords wait to be hashed." },
      ],
    },
  };
}
