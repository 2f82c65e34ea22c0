import { type IssuePlace, type ValidationIssue } from "@servicekit/core";
import { fromJsonPointer, maxErrors } from "@servicekit/core/internal";

/** The result of a validator. */
export type ValidationResult =
  | { readonly valid: true; readonly value: unknown }
  | {
      readonly valid: false;
      readonly issues: readonly ValidationIssue[];
      /** The valid keys of the output, if the schema checks each key separately. */
      readonly validKeys?: Readonly<Record<string, unknown>>;
    };

/** Validates one part of a request; asynchronous only if the schema is. */
export type Validator = (value: unknown, place: IssuePlace) => ValidationResult | Promise<ValidationResult>;

/** One more than a response lists, so that it reports that there are more. */
export const maxIssues = maxErrors + 1;

/** Issues without duplicates: of two limits for one value, the last, narrower one remains. */
export function distinctIssues(issues: readonly ValidationIssue[]): readonly ValidationIssue[] {
  const keyOf = ({ path, code, message }: ValidationIssue): string =>
    JSON.stringify(code === "TooBig" || code === "TooSmall" ? [path, code] : [path, code, message]);
  return issues.length < 2 ? issues : [...new Map(issues.map((issue) => [keyOf(issue), issue])).values()];
}

/** The keys of an object without issues; `undefined` if there are none, or if an issue is about the complete object. */
export function validKeysOf(
  value: unknown,
  issues: readonly ValidationIssue[],
): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== "object" || value === null || issues.some(({ path }) => path === "")) return undefined;
  const named = new Set(issues.map(({ path }) => fromJsonPointer(path)[0]));
  const validKeys = Object.entries(value).filter(([key]) => !named.has(key));
  return validKeys.length === 0 ? undefined : Object.fromEntries(validKeys);
}
