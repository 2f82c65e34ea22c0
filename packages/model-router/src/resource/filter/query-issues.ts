import { type HttpError, httpErrors, type ValidationIssue } from "@servicekit/core";
import { maxErrors, toJsonPointer } from "@servicekit/core/internal";

/** Collects all errors of a query, so that they are reported together (contract C3). */
export class QueryIssues {
  /** The first ones; further ones are only counted. */
  readonly #issues: ValidationIssue[] = [];
  #count = 0;

  /**
   * Adds an error of the parameter with this name (as the client wrote it).
   *
   * @param message a function if the text is expensive: it is called only for a listed error
   */
  add(parameter: string, code: string, message: string | (() => string)): void {
    if (++this.#count > maxErrors) return;
    const text = typeof message === "string" ? message : message();
    this.#issues.push({ in: "query", path: toJsonPointer([parameter]), code, message: text });
  }

  /** @throws {HttpError} 400 `ValidationError` when anything was noted */
  check(): void {
    if (this.#count > 0) throw this.toError();
  }

  /** The 400 `ValidationError` with all errors. */
  toError(): HttpError {
    const [first] = this.#issues;
    const more = this.#count === 1 ? "" : ` (and ${this.#count - 1} more)`;
    return httpErrors.ValidationError(`${first?.message ?? ""}${more}`, { errors: this.#issues });
  }
}
