/** The part of a request that has an error (contract C3). */
export type IssuePlace = "body" | "query" | "params" | "headers" | "files";

/** One issue of a request: the place, a JSON Pointer (RFC 6901) into it, a stable code and a sentence. */
export interface ValidationIssue {
  readonly in: IssuePlace;
  /** A JSON Pointer such as `/author/email`; the empty string for the complete place. */
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** The optional parts of an {@link HttpError}. */
export interface HttpErrorOptions {
  /** All issues of the request. */
  readonly errors?: readonly ValidationIssue[];
  /** Response headers of the error, such as `Retry-After` or `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The cause of the error: for the log, never for a response. */
  readonly cause?: unknown;
  /**
   * `false` omits the stack trace, which is the largest cost of an error: for frequent rejections whose origin is
   * irrelevant.
   * @default true
   */
  readonly stack?: boolean;
}

/** Maximum number of entries in a list of validation errors. */
export const maxErrors = 100;

/** Maximum length of the path and message of an entry, in UTF-16 units. Both may quote the client's input. */
const maxText = 1_000;

const brand = Symbol.for("servicekit.HttpError");

/**
 * An error with an HTTP response. The message of a 4xx is sent to the client; the message of a 5xx only to the log
 * (contract C3).
 */
export class HttpError extends Error {
  override readonly name = "HttpError";
  /** An HTTP status from 400 to 599. */
  readonly status: number;
  /** A stable UpperCamelCase code, such as `NotFound`. */
  readonly code: string;
  readonly errors: readonly ValidationIssue[] | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(status: number, code: string, message: string, options: HttpErrorOptions = {}) {
    const frames = options.stack === false ? withoutFrames() : undefined;
    const given = options.errors ?? [];
    const more = given.length > maxErrors ? ` (the first ${maxErrors} errors are listed)` : "";
    super(message + more, options.cause === undefined ? undefined : { cause: options.cause });
    if (frames !== undefined) Error.stackTraceLimit = frames;
    this.status = status;
    this.code = code;
    this.errors = options.errors && given.slice(0, maxErrors).map(withinBounds);
    this.headers = options.headers;
    Object.defineProperty(this, brand, { value: true });
  }
}

function withinBounds(error: ValidationIssue): ValidationIssue {
  const { path, message } = error;
  if (path.length <= maxText && message.length <= maxText) return error;
  return { ...error, path: cut(path), message: cut(message) };
}

const cut = (text: string): string =>
  text.length > maxText ? `${text.slice(0, maxText).replace(/[\ud800-\udbff]$/, "")}…` : text;

/**
 * Disables the stack frames of the next error and returns the previous limit; `undefined` if the limit cannot be set.
 */
function withoutFrames(): number | undefined {
  const frames: unknown = Error.stackTraceLimit;
  if (typeof frames !== "number") return undefined;
  try {
    Error.stackTraceLimit = 0;
    return frames;
  } catch {
    // With --frozen-intrinsics.
    return undefined;
  }
}

/** Returns whether a value is an {@link HttpError}, including one made by another copy of this package. */
export function isHttpError(value: unknown): value is HttpError {
  return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[brand] === true;
}
