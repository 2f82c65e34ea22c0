import { z } from "zod";
import { newPasswordSchema, readNewPassword } from "../credentials/password/check-password.js";
import { authErrors } from "../errors.js";
import { makeWaitingClient } from "../limits/make-waiting-client.js";
import type { MailPurpose } from "../tokens/mail-token.js";
import type { UserRecord } from "../users/user-store.js";
import { bodyOf, type Endpoint, type EndpointContext } from "./endpoint.js";
import { plainTextSchema } from "./plain-text.js";
import { sendToken } from "./send-mail.js";

const tokenIssue = {
  status: 400,
  code: "InvalidMailToken",
  description: "The token was used, has expired, or does not exist.",
} as const;

/**
 * `POST /auth/forgot-password`: emails a token; the response is the same whether or not a user has the address
 * (contract C32).
 */
export function forgotPasswordEndpoint(context: EndpointContext): Endpoint {
  return {
    method: "post",
    path: "/auth/forgot-password",
    body: z.strictObject({ email: plainTextSchema }),
    status: 204,
    async run(request) {
      const { email } = bodyOf(request);
      const { users, names } = context;
      const user = await names.find(String(email), (address) => users.findByEmail(address));
      if (user?.isActive === true) sendToken("reset-password", user, context);
    },
    documentation: {
      summary: "Request a password reset",
      description:
        "Sends a token to the address if it belongs to a user who has not received several lately. The response is always the same.",
    },
  };
}

/** `POST /auth/reset-password`: sets a new password with a token from an email (contract C32). */
export function resetPasswordEndpoint(context: EndpointContext): Endpoint {
  const { users, hasher, settings, sessions } = context;
  return {
    method: "post",
    path: "/auth/reset-password",
    body: z.strictObject({ token: plainTextSchema, newPassword: newPasswordSchema }),
    status: 204,
    async run(request, response) {
      const { token, newPassword } = bodyOf(request);
      const next = await readNewPassword(newPassword, "newPassword");
      const user = await userOf(token, "reset-password", context);
      // Of two concurrent uses, one finds the hash of the other and fails.
      const changed = await users.setPassword(user, await hasher.hash(next, makeWaitingClient(request, response)));
      if (changed === undefined) throw authErrors.InvalidMailToken();
      await sessions?.endAll(changed.id);
      // The token was received at the address.
      if (settings.signup.silent) await users.setEmailVerified(changed);
    },
    documentation: {
      summary: "Reset the password with a token from an email",
      description: "Revokes all earlier access tokens.",
      errors: [tokenIssue],
    },
  };
}

/**
 * `POST /auth/verify-email`: verifies with a token from an email that the address belongs to the user (contract C32).
 */
export function verifyEmailEndpoint(context: EndpointContext): Endpoint {
  return {
    method: "post",
    path: "/auth/verify-email",
    body: z.strictObject({ token: plainTextSchema }),
    status: 204,
    async run(request) {
      const user = await userOf(bodyOf(request).token, "verify-email", context);
      if (!(await context.users.setEmailVerified(user))) throw authErrors.InvalidMailToken();
    },
    documentation: {
      summary: "Verify the email address with a token from an email",
      description: "The token can be used once, within one day.",
      errors: [tokenIssue],
    },
  };
}

/** @throws {HttpError} 400 for a token that is not for this purpose, not for the user as the user is now, or too old */
async function userOf(token: unknown, purpose: MailPurpose, context: EndpointContext): Promise<UserRecord> {
  const { mailTokens, users } = context;
  const id = typeof token === "string" ? mailTokens.userOf(token) : undefined;
  const user = id === undefined ? undefined : await users.findById(id);
  if (user?.isActive !== true || !mailTokens.fits(String(token), purpose, user)) throw authErrors.InvalidMailToken();
  return user;
}
