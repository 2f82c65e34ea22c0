import type { ProblemCode } from "./problem-code.js";

/** An invalid place of the request (contract C3). */
export interface ApiIssue {
  readonly in: "body" | "query" | "params" | "headers" | "files";
  /** A JSON pointer (RFC 6901), such as `/author/email`. */
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** A rejected request: the problem details (RFC 9457) of the response. `message` is its `detail`. */
export class ApiError<Code extends string = ProblemCode | (string & {})> extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** A stable code; `Unknown` if the response was not a problem, such as that of a proxy. */
  readonly code: Code;
  readonly title: string;
  /** The invalid places; empty if the error is about the request as a whole. */
  readonly errors: readonly ApiIssue[];
  /** The request id, as in the log of the service. */
  readonly requestId: string | undefined;
  /** Seconds to wait before a retry, if the service set them. */
  readonly retryAfter: number | undefined;

  constructor(status: number, problem: Readonly<Record<string, unknown>>, retryAfter?: number) {
    super(String(problem.detail ?? `The service responded with ${status}.`));
    this.status = status;
    this.code = String(problem.code ?? "Unknown") as Code;
    this.title = String(problem.title ?? "");
    this.errors = (problem.errors as readonly ApiIssue[] | undefined) ?? [];
    this.requestId = problem.requestId as string | undefined;
    this.retryAfter = retryAfter;
  }
}

/**
 * Returns whether an error is a rejected request with the given code.
 *
 * @example
 * catch (error) { if (isApiError(error, "UniqueConstraint")) … }
 */
export function isApiError<Code extends ProblemCode | (string & {}) = ProblemCode | (string & {})>(
  error: unknown,
  code?: Code,
): error is ApiError<Code> {
  return error instanceof ApiError && (code === undefined || error.code === code);
}
