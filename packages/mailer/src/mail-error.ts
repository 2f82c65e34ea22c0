/** What kept a mail from being sent. */
export type MailErrorCode =
  | "NotConfigured"
  | "InvalidMail"
  | "Unreachable"
  | "Timeout"
  | "NotSecure"
  | "AuthenticationFailed"
  | "Refused"
  | "Closed";

/** The one error of this package: a code word, a sentence for the log, and the original error as its `cause`. */
export class MailError extends Error {
  override readonly name = "MailError";
  readonly code: MailErrorCode;

  constructor(code: MailErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
