import type { MailPurpose } from "../tokens/mail-token.js";
import type { UserRecord } from "../users/user-store.js";
import type { EndpointContext } from "./endpoint.js";

/** A mail without a token. */
export type Notice = "account-exists" | "names-changed";

const mails: Readonly<Record<MailPurpose | Notice, { readonly subject: string; readonly text: string }>> = {
  "reset-password": {
    subject: "Your new password",
    text: "Somebody, most likely you, asked for a new password for your account. Use this token within one hour to set it:\n\n{token}\n\nIf it was not you, do nothing: your password stays as it is.\n",
  },
  "verify-email": {
    subject: "Verify your email address",
    text: "Use this token within one day to show that this email address is yours:\n\n{token}\n\nIf you did not sign up, do nothing.\n",
  },
  "account-exists": {
    subject: "You have an account",
    text: "Somebody, most likely you, tried to sign up with this email address, which has an account. Log in, or ask for a new password.\n\nIf it was not you, do nothing.\n",
  },
  "names-changed": {
    subject: "The sign-in names of your account have changed",
    text: "The email address or a login name of your account is another one now. The password was given for it.\n\nIf it was not you, somebody knows your password: write to whoever runs this service.\n",
  },
};

/** Sends a mail with a token. */
export function sendToken(purpose: MailPurpose, user: UserRecord, context: EndpointContext): void {
  send(purpose, user, context, () => context.mailTokens.make(purpose, user));
}

/** Sends a mail that only tells something. */
export function sendNotice(notice: Notice, user: UserRecord, context: EndpointContext): void {
  send(notice, user, context, () => "");
}

/**
 * Sends without waiting: how long a mail server takes would tell who has an address; and no more than the budget of the
 * user and of the address, which no answer tells either. No text of a user stands in it.
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
  // The answer goes out first.
  setImmediate(() => sending().catch((error: unknown) => log(error, `the mail "${subject}" was not sent`)));
}
