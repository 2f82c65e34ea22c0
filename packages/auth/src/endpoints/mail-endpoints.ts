import type { RequestHandler } from "express";
import { z } from "zod";
import { authErrors } from "../errors.js";
import { newPasswordSchema, plainTextSchema, readNewPassword } from "../password/check-password.js";
import type { MailPurpose } from "../tokens/mail-token.js";
import type { UserRecord } from "../users/user-store.js";
import { bodyOf, type Endpoint, type EndpointContext } from "./endpoint.js";

const tokenFault = {
  status: 400,
  code: "InvalidMailToken",
  description: "The token was used, has expired, or never was one.",
} as const;

/** `POST /auth/forgot-password`: mails a token, and answers alike whoever has the address or nobody (contract C32). */
export function forgotPasswordEndpoint(context: EndpointContext, limitPerName: RequestHandler): Endpoint {
  return {
    method: "post",
    path: "/auth/forgot-password",
    body: z.strictObject({ email: plainTextSchema }),
    status: 204,
    guards: [limitPerName],
    async run(request) {
      const { email } = bodyOf(request);
      const user = await context.users.findByEmail(String(email));
      if (user?.isActive === true) sendToken("reset-password", user, context);
    },
    documentation: {
      summary: "Ask for a new password",
      description: "Sends a token to the address, if a user has it. The answer is the same in either case.",
    },
  };
}

/** `POST /auth/reset-password`: a new password for a token from a mail (contract C32). */
export function resetPasswordEndpoint(context: EndpointContext): Endpoint {
  const { users, hasher } = context;
  return {
    method: "post",
    path: "/auth/reset-password",
    body: z.strictObject({ token: plainTextSchema, newPassword: newPasswordSchema }),
    status: 204,
    async run(request) {
      const { token, newPassword } = bodyOf(request);
      const next = readNewPassword(newPassword, "newPassword");
      const user = await userOf(token, "reset-password", context);
      // Of two uses at once one finds the hash of the other, and fails.
      const changed = await users.setPassword(user, await hasher.hash(next));
      if (changed === undefined) throw authErrors.InvalidMailToken();
    },
    documentation: {
      summary: "Set a new password with a token from a mail",
      description: "Every access token from before is not accepted again.",
      errors: [tokenFault],
    },
  };
}

/** `POST /auth/verify-email`: proves with a token from a mail that the address is the user's (contract C32). */
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
    documentation: { summary: "Verify the email address with a token from a mail", errors: [tokenFault] },
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

const mails: Readonly<Record<MailPurpose, { readonly subject: string; readonly text: (token: string) => string }>> = {
  "reset-password": {
    subject: "Your new password",
    text: (token) =>
      `Somebody, most likely you, asked for a new password for your account. Use this token within one hour to set it:\n\n${token}\n\nIf it was not you, do nothing: your password stays as it is.\n`,
  },
  "verify-email": {
    subject: "Verify your email address",
    text: (token) =>
      `Use this token within one day to show that this email address is yours:\n\n${token}\n\nIf you did not sign up, do nothing.\n`,
  },
};

/**
 * Sends a mail with a token, without waiting: how long a mail server takes would tell who has an address. No text of a
 * user stands in it.
 */
export function sendToken(purpose: MailPurpose, user: UserRecord, { mailer, mailTokens, log }: EndpointContext): void {
  const { email } = user;
  if (mailer === undefined || typeof email !== "string") return;
  const { subject, text } = mails[purpose];
  const sending = async (): Promise<unknown> =>
    mailer.send({ to: { address: email }, subject, text: text(mailTokens.make(purpose, user)) });
  // The answer goes out first.
  setImmediate(() => sending().catch((error: unknown) => log(error, `the mail "${subject}" was not sent`)));
}
