import { type FieldFault, HttpError, isHttpError } from "@servicekit/core";
import { toJsonPointer } from "@servicekit/core/internal";
import type { BodyPath } from "./plan-row.js";

/**
 * Where the value of a field stands in its row's object; the empty text for one that the object's place settles.
 *
 * @param faulty all fields that are at fault together
 */
export type ShownName = (field: string, faulty: readonly string[]) => string;

/**
 * Writes one row of a body. When the database refuses it, the answer names where in the body the row stands: the
 * database itself only knows the columns (contract C13, C17).
 */
export async function atPlace<T>(at: BodyPath, work: () => Promise<T>, shown: ShownName = (name) => name): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isHttpError(error) || (error.status !== 400 && error.status !== 409) || error.code === "WriteConflict")
      throw error;
    const { status, code, message, headers, cause } = error;
    const place = toJsonPointer(at);
    const faulty = error.errors?.map(({ path }) => path.slice(1)) ?? [];
    const pathOf = (path: string): string => {
      const name = shown(path.slice(1), faulty);
      return name === "" ? place : `${place}/${name}`;
    };
    const named = error.errors?.map((fault): FieldFault => ({ ...fault, path: pathOf(fault.path) }));
    if (named === undefined && place === "") throw error;
    const whole: FieldFault = { in: "body", path: place, code, message };
    const errors = named === undefined ? [whole] : withoutDoubles(named);
    throw new HttpError(status, code, message, { errors, cause, ...(headers === undefined ? {} : { headers }) });
  }
}

const withoutDoubles = (faults: readonly FieldFault[]): readonly FieldFault[] =>
  faults.filter(({ path }, index) => faults.findIndex((fault) => fault.path === path) === index);
