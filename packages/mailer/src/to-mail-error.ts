import type { NodemailerError } from "nodemailer";
import { MailError, type MailErrorCode } from "./mail-error.js";

const codes: Readonly<Record<string, MailErrorCode>> = {
  EAUTH: "AuthenticationFailed",
  ENOAUTH: "AuthenticationFailed",
  ETLS: "NotSecure",
  EREQUIRETLS: "NotSecure",
  ETIMEDOUT: "Timeout",
  EABORT: "Timeout",
  EENVELOPE: "Refused",
  EMESSAGE: "Refused",
  EMAXRECIPIENTS: "Refused",
};

const sentences: Readonly<Partial<Record<MailErrorCode, string>>> = {
  AuthenticationFailed: "rejected the user name or password",
  NotSecure: "did not provide a trusted connection",
  Timeout: "did not respond in time",
  Refused: "rejected the message",
  Unreachable: "cannot be reached",
};

/** Translates an error of nodemailer or of the socket. `server` is the host and port for the message. */
export function toMailError(error: unknown, server: string): MailError {
  if (error instanceof MailError) return error;
  const known: Partial<NodemailerError> = error instanceof Error ? error : {};
  const code = codeOf(known);
  const text = known.response ?? known.message ?? String(error);
  const hint = isWrongProtocol(known) ? ' (a server on port 587 usually requires "secure": false)' : "";
  return new MailError(code, `The mail server ${server} ${sentences[code]}: ${text}${hint}`, { cause: error });
}

function codeOf(error: Partial<NodemailerError>): MailErrorCode {
  const { code = "", originalCode = "", message = "" } = error;
  // TLS failures of the first handshake are socket errors with codes of OpenSSL and Node.
  const tls = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;
  if (tls.test(code) || tls.test(originalCode) || /certificate|SSL routines/i.test(message)) return "NotSecure";
  return codes[code] ?? "Unreachable";
}

const isWrongProtocol = ({ message = "", originalCode = "" }: Partial<NodemailerError>): boolean =>
  originalCode === "ERR_SSL_WRONG_VERSION_NUMBER" || /wrong version number|packet length too long/i.test(message);
