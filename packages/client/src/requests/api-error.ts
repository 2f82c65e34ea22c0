import type { ProblemCode } from "./problem-code.js";

/** A place of the request that is at fault (contract C3). */
export interface ApiFault {
  readonly in: "body" | "query" | "params" | "headers" | "files";
  /** A JSON pointer (RFC 6901), such as `/author/email`. */
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** A refused request: the problem (RFC 9457) that the service answered. `message` is its `detail`. */
export class ApiError<Code extends string = ProblemCode | (string & {})> extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** A stable word; `Unknown` where the answer was no problem, such as that of a proxy. */
  readonly code: Code;
  readonly title: string;
  /** The places at fault; none where the whole request is. */
  readonly errors: readonly ApiFault[];
  /** By which the log of the service has it. */
  readonly requestId: string | undefined;
  /** Seconds until it is worth trying again, where the service says so. */
  readonly retryAfter: number | undefined;

  constructor(status: number, problem: Readonly<Record<string, unknown>>, retryAfter?: number) {
    super(String(problem.detail ?? `The service answered ${status}.`));
    this.status = status;
    this.code = String(problem.code ?? "Unknown") as Code;
    this.title = String(problem.title ?? "");
    this.errors = (problem.errors as readonly ApiFault[] | undefined) ?? [];
    this.requestId = problem.requestId as string | undefined;
    this.retryAfter = retryAfter;
  }
}

/**
 * Whether a request was refused, for the reason that a code names.
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
