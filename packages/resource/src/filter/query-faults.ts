import { type FieldFault, type HttpError, httpErrors } from "@servicekit/errors";
import { toJsonPointer } from "@servicekit/field-path";

/** Gathers what is wrong with a query, so that a client reads it all at once (contract C3). */
export class QueryFaults {
  readonly #faults: FieldFault[] = [];

  /** Notes a fault of the parameter with this name (as the client wrote it). */
  add(parameter: string, code: string, message: string): void {
    this.#faults.push({ in: "query", path: toJsonPointer([parameter]), code, message });
  }

  /** @throws {HttpError} 400 `ValidationError` when anything was noted */
  check(): void {
    if (this.#faults.length > 0) throw this.toError();
  }

  /** The 400 `ValidationError` with all that was noted. */
  toError(): HttpError {
    const [first] = this.#faults;
    const more = this.#faults.length === 1 ? "" : ` (and ${this.#faults.length - 1} more)`;
    return httpErrors.ValidationError(`${first?.message ?? ""}${more}`, { errors: this.#faults });
  }
}
