import { nearestWord } from "@servicekit/errors";

/** What a key of a declaration must be: a test and the words for what it expects. */
export interface Expectation {
  readonly expected: string;
  test(value: unknown): boolean;
}

/** The keys of an object and what each must be. */
export type Shape = Readonly<Record<string, Expectation>>;

/** An object literal: no class instance, no list, no function. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Words for the faults of an object: not an object, unknown keys (with the nearest known one), wrong types. */
export function checkShape(value: unknown, shape: Shape): string[] {
  if (!isPlainObject(value)) return ["must be an object."];
  return Object.entries(value).flatMap(([key, inner]) => {
    const expectation = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (expectation === undefined) return [unknownKey(key, Object.keys(shape))];
    return inner === undefined || expectation.test(inner) ? [] : [`.${key} must be ${expectation.expected}.`];
  });
}

/** The sentence for a key that nobody knows. */
export function unknownKey(key: string, known: readonly string[]): string {
  const near = nearestWord(key, known);
  return near === undefined
    ? `has the unknown key ${key}; known are ${known.join(", ")}.`
    : `has the unknown key ${key}; did you mean ${near}?`;
}

const sizePattern = /^\d+(\.\d+)?\s*(b|kb|mb|gb)?$/i;

export const isBoolean: Expectation = { expected: "true or false", test: (value) => typeof value === "boolean" };
export const isString: Expectation = { expected: "a string", test: (value) => typeof value === "string" };
export const isText: Expectation = {
  expected: "a string that is not empty",
  test: (value) => typeof value === "string" && value !== "",
};
export const isFunction: Expectation = { expected: "a function", test: (value) => typeof value === "function" };
export const isCount: Expectation = {
  expected: "a whole number of at least 1",
  test: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
};
export const isSize: Expectation = {
  expected: "a number of bytes or a text such as 1mb",
  test: (value) =>
    typeof value === "string" ? sizePattern.test(value) : Number.isFinite(value) && (value as number) >= 0,
};
export const isTextList: Expectation = {
  expected: "a list of strings",
  test: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
};
export const isAnything: Expectation = { expected: "anything", test: () => true };

/** A whole number between two bounds. */
export function isWithin(low: number, high: number): Expectation {
  return {
    expected: `a whole number from ${low} to ${high}`,
    test: (value) => Number.isInteger(value) && (value as number) >= low && (value as number) <= high,
  };
}

/** One of a few words. */
export function isOneOf(...words: readonly unknown[]): Expectation {
  return { expected: `one of ${words.map(String).join(", ")}`, test: (value) => words.includes(value) };
}
