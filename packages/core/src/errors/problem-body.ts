import type { HttpError, ValidationIssue } from "./http-error.js";
import { problemType } from "./problem-type.js";
import { statusPhrase } from "./status-phrase.js";

/** The body of every error response: RFC 9457 with the members of contract C3. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly requestId?: string;
  readonly errors?: readonly ValidationIssue[];
}

/** What the request adds to a problem body. */
export interface ProblemContext {
  /** The path of the request, without its query. */
  readonly instance: string;
  readonly requestId?: string | undefined;
}

/** The text that a client gets instead of the message of a 5xx. */
const generic: Readonly<Record<number, string>> = {
  500: "Something went wrong on the server.",
  501: "This is not implemented.",
  502: "The upstream server returned no usable response.",
  503: "The service is temporarily unavailable.",
  504: "The response took too long.",
  507: "There is not enough storage space.",
};

/** Maximum length of `detail`, in UTF-16 units. It may quote the client's input. */
const maxDetail = 2_000;

/** The media type of a problem body (RFC 9457, section 3). */
export const problemMediaType = "application/problem+json";

/**
 * Creates the body of an error response. The message of a 5xx is replaced by a general sentence, because it belongs in
 * the log.
 */
export function toProblemBody(error: HttpError, context: ProblemContext): ProblemBody {
  const { status, code, errors } = error;
  return {
    type: problemType(code),
    title: statusPhrase(status),
    status,
    detail:
      status < 500 ? error.message.slice(0, maxDetail) : (generic[status] ?? "Something went wrong on the server."),
    instance: context.instance,
    code,
    ...(context.requestId === undefined ? {} : { requestId: context.requestId }),
    ...(errors === undefined || status >= 500 ? {} : { errors }),
  };
}
