/** The reason why an email could not be sent. */
export type MailErrorCode =
  | "NotConfigured"
  | "InvalidMail"
  | "Unreachable"
  | "Timeout"
  | "NotSecure"
  | "AuthenticationFailed"
  | "Refused"
  | "Closed";

/** The only error of this package: a code, a sentence for the log, and the original error as its `cause`. */
export class MailError extends Error {
  override readonly name = "MailError";
  readonly code: MailErrorCode;

  constructor(code: MailErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
