/** Thrown by a handler to fail its job without further retries. */
export class UnrecoverableError extends Error {
  override readonly name = "UnrecoverableError";
}

/** By name, because a program may contain two copies of this package. */
export const isUnrecoverable = (error: unknown): boolean =>
  error instanceof Error && error.name === "UnrecoverableError";
