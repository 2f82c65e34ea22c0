import type { QueryScalar } from "../parsed-query.js";

/** What a single value may be: `text` is any text. */
export type ExpectedScalar = "text" | "number" | "boolean" | "null" | "bigint" | "date";

/**
 * What is expected of a value, so that its text is read by type and not by its looks (contract C63). Where it is
 * `undefined`, the switches of the parser decide. Several kinds are alternatives, between which the switches decide
 * too.
 */
export interface ExpectedValue {
  readonly scalars?: ReadonlySet<ExpectedScalar>;
  /** Single values by their text, for an enumeration. */
  readonly literals?: ReadonlyMap<string, QueryScalar>;
  readonly list?: ExpectedList;
  /** What is expected under a key. */
  readonly fields?: ReadonlyMap<string, ExpectedValue | undefined>;
  /** What is expected under every other key. */
  readonly rest?: ExpectedValue | undefined;
}

/** The items of a list: the first ones by position, and all that follow. */
export interface ExpectedList {
  readonly first: readonly (ExpectedValue | undefined)[];
  readonly rest: ExpectedValue | undefined;
}

/** What is expected under a key of an object. */
export function expectedField(expected: ExpectedValue | undefined, key: string): ExpectedValue | undefined {
  return expected?.fields?.has(key) ? expected.fields.get(key) : expected?.rest;
}

/** What is expected at a place of a list. */
export function expectedItem(expected: ExpectedValue | undefined, index: number): ExpectedValue | undefined {
  const { first = [], rest } = expected?.list ?? {};
  return index < first.length ? first[index] : rest;
}

/** Whether a single value is allowed here. */
export const expectsScalar = ({ scalars, literals }: ExpectedValue): boolean =>
  scalars !== undefined || literals !== undefined;
