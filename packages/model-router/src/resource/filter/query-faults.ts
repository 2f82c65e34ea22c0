import { type FieldFault, type HttpError, httpErrors } from "@servicekit/core";
import { maxErrors, toJsonPointer } from "@servicekit/core/internal";

/** Collects all errors of a query, so that they are reported together (contract C3). */
export class QueryFaults {
  /** The first ones; the others are only counted. */
  readonly #faults: FieldFault[] = [];
  #count = 0;

  /**
   * Notes an error of the parameter with this name (as the client wrote it).
   *
   * @param message a function where the text costs something: it is called only for an error that is listed
   */
  add(parameter: string, code: string, message: string | (() => string)): void {
    if (++this.#count > maxErrors) return;
    const text = typeof message === "string" ? message : message();
    this.#faults.push({ in: "query", path: toJsonPointer([parameter]), code, message: text });
  }

  /** @throws {HttpError} 400 `ValidationError` when anything was noted */
  check(): void {
    if (this.#count > 0) throw this.toError();
  }

  /** The 400 `ValidationError` with all that was noted. */
  toError(): HttpError {
    const [first] = this.#faults;
    const more = this.#count === 1 ? "" : ` (and ${this.#count - 1} more)`;
    return httpErrors.ValidationError(`${first?.message ?? ""}${more}`, { errors: this.#faults });
  }
}
