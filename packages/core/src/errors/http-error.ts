/** Where in a request a fault lies (contract C3). */
export type FaultPlace = "body" | "query" | "params" | "headers" | "files";

/** One fault of a request: the place, a JSON Pointer (RFC 6901) into it, a stable code word and a sentence. */
export interface FieldFault {
  readonly in: FaultPlace;
  /** A JSON Pointer such as `/author/email`; the empty string is the whole place. */
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** What an {@link HttpError} may carry besides status, code and message. */
export interface HttpErrorOptions {
  /** Every fault of the request, told at once. */
  readonly errors?: readonly FieldFault[];
  /** Response headers that belong to the error, such as `Retry-After` or `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the error came from: for the log, never for an answer. */
  readonly cause?: unknown;
  /**
   * `false` leaves out the stack, which costs more than all else of an error: for refusals of which the place tells nothing.
   * @default true
   */
  readonly stack?: boolean;
}

/** The most entries of a list of validation errors. */
export const maxErrors = 100;

/** The longest path and message of an entry, in UTF-16 units: both may quote what the client sent. */
const maxText = 1_000;

const brand = Symbol.for("servicekit.HttpError");

/**
 * An error that knows its HTTP answer. The message of a 4xx is shown to the client; the message of a 5xx goes to the
 * log only (contract C3).
 */
export class HttpError extends Error {
  override readonly name = "HttpError";
  /** An HTTP status from 400 to 599. */
  readonly status: number;
  /** A stable UpperCamelCase word, such as `NotFound`. */
  readonly code: string;
  readonly errors: readonly FieldFault[] | undefined;
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

function withinBounds(error: FieldFault): FieldFault {
  const { path, message } = error;
  if (path.length <= maxText && message.length <= maxText) return error;
  return { ...error, path: cut(path), message: cut(message) };
}

const cut = (text: string): string =>
  text.length > maxText ? `${text.slice(0, maxText).replace(/[\ud800-\udbff]$/, "")}…` : text;

/** Lets the next error have no frames, and tells how many they had; `undefined` where that cannot be said. */
function withoutFrames(): number | undefined {
  const frames: unknown = Error.stackTraceLimit;
  if (typeof frames !== "number") return undefined;
  try {
    Error.stackTraceLimit = 0;
    return frames;
  } catch {
    // As with --frozen-intrinsics.
    return undefined;
  }
}

/** Tells an {@link HttpError}, also one made by another copy of this package. */
export function isHttpError(value: unknown): value is HttpError {
  return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[brand] === true;
}
