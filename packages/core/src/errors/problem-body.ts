import type { FieldFault, HttpError } from "./http-error.js";
import { problemType } from "./problem-type.js";
import { statusPhrase } from "./status-phrase.js";

/** The body of every error answer: RFC 9457 with the members of contract C3. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly requestId?: string;
  readonly errors?: readonly FieldFault[];
}

/** What the request adds to a problem body. */
export interface ProblemContext {
  /** The path of the request, without its query. */
  readonly instance: string;
  readonly requestId?: string | undefined;
}

/** What a client reads in place of the message of a 5xx. */
const generic: Readonly<Record<number, string>> = {
  500: "Something went wrong on the server.",
  501: "This is not implemented.",
  502: "A server behind this one gave no usable answer.",
  503: "The service is not available at the moment.",
  504: "The answer took too long.",
  507: "There is no room to store this.",
};

/** The longest detail, in UTF-16 units: it may quote what the client sent. */
const maxDetail = 2_000;

/** The media type of a problem body (RFC 9457, section 3). */
export const problemMediaType = "application/problem+json";

/** Makes the body of an error answer. The message of a 5xx is replaced by a general sentence: it belongs to the log. */
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
