import { isHttpError, type ValidationIssue } from "@servicekit/core";
import { toJsonPointer, withErrors } from "@servicekit/core/internal";
import type { BodyPath } from "./plan-row.js";

/**
 * The place of a field's value in its row's object; the empty text for one that the object's place determines.
 *
 * @param invalid all fields of the error
 */
export type ShownName = (field: string, invalid: readonly string[]) => string;

/**
 * Writes one row of a body. If the database rejects it, the error has the place of the row in the body, because the
 * database only knows the columns (contract C13, C17).
 */
export async function atPlace<T>(at: BodyPath, work: () => Promise<T>, shown: ShownName = (name) => name): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isHttpError(error) || (error.status !== 400 && error.status !== 409) || error.code === "WriteConflict")
      throw error;
    const { code, message } = error;
    const place = toJsonPointer(at);
    const invalid = error.errors?.map(({ path }) => path.slice(1)) ?? [];
    const pathOf = (path: string): string => {
      const name = shown(path.slice(1), invalid);
      return name === "" ? place : `${place}/${name}`;
    };
    const named = error.errors?.map((issue): ValidationIssue => ({ ...issue, path: pathOf(issue.path) }));
    if (named === undefined && place === "") throw error;
    const complete: ValidationIssue = { in: "body", path: place, code, message };
    throw withErrors(error, named === undefined ? [complete] : withoutDoubles(named));
  }
}

const withoutDoubles = (issues: readonly ValidationIssue[]): readonly ValidationIssue[] =>
  issues.filter(({ path }, index) => issues.findIndex((issue) => issue.path === path) === index);
