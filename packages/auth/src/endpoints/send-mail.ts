import type { MailPurpose } from "../tokens/mail-token.js";
import type { UserRecord } from "../users/user-store.js";
import type { EndpointContext } from "./endpoint.js";

/** An email without a token. */
export type Notice = "account-exists" | "names-changed";

const mails: Readonly<Record<MailPurpose | Notice, { readonly subject: string; readonly text: string }>> = {
  "reset-password": {
    subject: "Reset your password",
    text: "You or someone else requested a new password for your account. Use this token within one hour to set it:\n\n{token}\n\nIf you did not request this, ignore this email. Your password does not change.\n",
  },
  "verify-email": {
    subject: "Verify your email address",
    text: "Use this token within one day to verify this email address:\n\n{token}\n\nIf you did not sign up, ignore this email.\n",
  },
  "account-exists": {
    subject: "You already have an account",
    text: "You or someone else tried to sign up with this email address, which already has an account. Log in, or request a new password.\n\nIf this was not you, ignore this email.\n",
  },
  "names-changed": {
    subject: "Your sign-in names have changed",
    text: "The email address or a login name of your account was changed. The current password was given for it.\n\nIf you did not do this, someone else has your password. Contact the operator of this service.\n",
  },
};

/** Sends an email with a token. */
export function sendToken(purpose: MailPurpose, user: UserRecord, context: EndpointContext): void {
  send(purpose, user, context, () => context.mailTokens.make(purpose, user));
}

/** Sends a notification. */
export function sendNotice(notice: Notice, user: UserRecord, context: EndpointContext): void {
  send(notice, user, context, () => "");
}

/**
 * Sends without waiting, because the duration would reveal whether a user has the address; and only within the limits
 * of the user and of the address, which no response reveals either. It contains no text of a user.
 */
function send(kind: MailPurpose | Notice, user: UserRecord, context: EndpointContext, makeToken: () => string): void {
  const { mailer, mailBudget, log } = context;
  const { id, email } = user;
  if (mailer === undefined || typeof email !== "string") return;
  const { subject, text } = mails[kind];
  const sending = async (): Promise<void> => {
    if (!(await mailBudget.allows(kind, String(id), email))) return;
    await mailer.send({ to: { address: email }, subject, text: text.replace("{token}", makeToken()) });
  };
  // The response is sent first.
  setImmediate(() => sending().catch((error: unknown) => log(error, `the email "${subject}" was not sent`)));
}
