import type { StoredField } from "@servicekit/prisma";
import { isSinglePrecision } from "@servicekit/prisma/internal";
import { integerRange } from "../values/integer-range.js";
import { decimalShape } from "../values/read-decimal.js";

/** A value with an order; those of one field have one type. */
type Key = bigint | number | string;

/** A position between two values: directly before or after a key, or the start or end of all. */
interface Cut {
  readonly end: -1 | 0 | 1;
  readonly key: Key;
  readonly side: 0 | 1;
}

/** Values of one field: the ranges between pairs of cuts, sorted and disjoint. */
export interface ValueSet {
  readonly range: readonly [Cut, Cut];
  readonly spans: readonly (readonly [Cut, Cut])[];
}

/** The order of a field's values. */
interface Scale {
  readonly range: readonly [Cut, Cut];
  /** Whether the database uses the same order. */
  readonly isOrdered: boolean;
  /** Whether there is no value between a key and the next one. */
  readonly isWhole: boolean;
  /** `undefined` for an invalid value. */
  readonly key: (value: unknown) => Key | undefined;
  /** The key of a bound: a value that equals an end is the end. */
  readonly bound?: (key: Key) => Key;
}

/**
 * The values that a condition matches, by its field's type.
 *
 * @returns `undefined` for a condition that is more than a comparison with values
 */
export function valuesOf(field: StoredField, operator: string, operand: unknown): ValueSet | undefined {
  const scale = field.isList ? undefined : scaleOf(field);
  if (scale === undefined) return undefined;
  const { range } = scale;
  if (scale.isOrdered && isUnlimited(operator, operand)) return makeSet(range, [range]);
  const values: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  const keys = values.map(scale.key);
  if (keys.includes(undefined)) return undefined;
  const after = (key: Key): Cut => (scale.isWhole ? cut(nextKey(key), 0) : cut(key, 1));
  const points = makeSet(
    range,
    (keys as Key[]).map((key) => [cut(key, 0), after(key)]),
  );
  const [given] = keys;
  switch (operator) {
    case "equals":
    case "in":
      return points;
    case "not":
    case "notIn":
      return complement(points);
  }
  if (!scale.isOrdered || given === undefined) return undefined;
  const bound = scale.bound?.(given) ?? given;
  const [low, high] = range;
  switch (operator) {
    case "lt":
      return makeSet(range, [[low, cut(bound, 0)]]);
    case "lte":
      return makeSet(range, [[low, after(bound)]]);
    case "gte":
      return makeSet(range, [[cut(bound, 0), high]]);
    case "gt": {
      // No value is stored below the minimum date and the minimum float.
      const isLeast = scale.bound !== undefined && compareCuts(cut(bound, 0), low) <= 0;
      return makeSet(range, [[isLeast ? low : after(bound), high]]);
    }
    default:
      return undefined;
  }
}

/** Whether it is `gte` -Infinity or `lte` Infinity, as a number or as the text of a decimal. */
function isUnlimited(operator: string, operand: unknown): boolean {
  if (typeof operand !== "number" && typeof operand !== "string") return false;
  return Number(operand) === { gte: Number.NEGATIVE_INFINITY, lte: Number.POSITIVE_INFINITY }[operator];
}

/** The union. */
export function unionOf(sets: readonly [ValueSet, ...ValueSet[]]): ValueSet {
  return makeSet(
    sets[0].range,
    sets.flatMap(({ spans }) => spans),
  );
}

/** The intersection. */
export function intersectionOf(sets: readonly [ValueSet, ...ValueSet[]]): ValueSet {
  const [first, ...others] = sets;
  return complement(unionOf([complement(first), ...others.map(complement)]));
}

/** The complement. */
export function complement({ range, spans }: ValueSet): ValueSet {
  const [low, high] = range;
  const ends = spans.map(([, end]) => end);
  const starts = spans.map(([start]) => start);
  return makeSet(
    range,
    [low, ...ends].map((start, index) => [start, starts[index] ?? high]),
  );
}

/** Whether it is everything, or empty. */
export function extentOf({ range, spans }: ValueSet): "every" | "some" | "none" {
  const [only] = spans;
  if (only === undefined) return "none";
  const isWhole = compareCuts(only[0], range[0]) === 0 && compareCuts(only[1], range[1]) === 0;
  return isWhole ? "every" : "some";
}

/** Sorts ranges, limits them to the range, and merges adjacent ones. */
function makeSet(range: readonly [Cut, Cut], spans: readonly (readonly [Cut, Cut])[]): ValueSet {
  const [low, high] = range;
  const inside = spans
    .map(([start, end]): [Cut, Cut] => [
      compareCuts(start, low) < 0 ? low : start,
      compareCuts(end, high) > 0 ? high : end,
    ])
    .filter(([start, end]) => compareCuts(start, end) < 0)
    .sort(([a], [b]) => compareCuts(a, b));
  const joined: [Cut, Cut][] = [];
  for (const [start, end] of inside) {
    const last = joined.at(-1);
    if (last === undefined || compareCuts(start, last[1]) > 0) joined.push([start, end]);
    else if (compareCuts(end, last[1]) > 0) last[1] = end;
  }
  return { range, spans: joined };
}

const cut = (key: Key, side: 0 | 1): Cut => ({ end: 0, key, side });
const start: Cut = { end: -1, key: 0, side: 0 };
const end: Cut = { end: 1, key: 0, side: 0 };

function compareCuts(a: Cut, b: Cut): number {
  if (a.end !== 0 || b.end !== 0) return a.end - b.end;
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.side - b.side;
}

const nextKey = (key: Key): Key => (typeof key === "bigint" ? key + 1n : Number(key) + 1);

function scaleOf(field: StoredField): Scale | undefined {
  if (field.kind === "enum") return namedScale(field.values);
  switch (field.type) {
    case "Boolean":
      return namedScale([false, true]);
    case "Int":
    case "BigInt": {
      const { min, max } = integerRange(field);
      const key = (value: unknown) =>
        typeof value === "bigint" ? value : typeof value === "number" ? BigInt(value) : undefined;
      return { range: [cut(min, 0), cut(max + 1n, 0)], isOrdered: true, isWhole: true, key };
    }
    case "Float": {
      const limit = isSinglePrecision(field) ? (2 - 2 ** -23) * 2 ** 127 : Number.MAX_VALUE;
      const key = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : undefined);
      return {
        range: [cut(-limit, 0), cut(limit, 1)],
        isOrdered: true,
        isWhole: false,
        key,
        bound: (given) => given,
      };
    }
    case "Decimal": {
      const { integer, fraction } = decimalShape(field);
      const limit = decimalKey(`${"9".repeat(integer) || "0"}.${"9".repeat(fraction)}`);
      const key = (value: unknown) => (typeof value === "string" && /\d/.test(value) ? decimalKey(value) : undefined);
      return { range: [cut(-limit, 0), cut(limit, 1)], isOrdered: true, isWhole: false, key };
    }
    case "DateTime":
      return dateScale(field);
    case "String":
      return textScale(field);
    default:
      return undefined;
  }
}

/** Values with positions in a list and no order. */
function namedScale(values: readonly unknown[]): Scale {
  const key = (value: unknown) => {
    const index = values.indexOf(value);
    return index === -1 ? undefined : index;
  };
  return { range: [cut(0, 0), cut(values.length, 0)], isOrdered: false, isWhole: true, key };
}

const leastDate = Date.parse("0001-01-01T00:00:00.000Z");
const greatestDate = Date.parse("9999-12-31T23:59:59.999Z");

function dateScale({ nativeType }: StoredField): Scale {
  const key = (value: unknown) => {
    const time = value instanceof Date ? value.getTime() : Number.NaN;
    return Number.isNaN(time) ? undefined : time;
  };
  if (nativeType?.name === "Time" || nativeType?.name === "Timetz") {
    return { range: [cut(0, 0), end], isOrdered: true, isWhole: false, key };
  }
  // The first and the last year count as unlimited.
  const bound = (time: Key): Key => {
    const year = new Date(Number(time)).getUTCFullYear();
    return year <= 1 ? leastDate : year >= 9999 ? greatestDate : time;
  };
  return { range: [cut(leastDate, 0), cut(greatestDate, 1)], isOrdered: true, isWhole: false, key, bound };
}

const plainTexts: ReadonlySet<string | undefined> = new Set([undefined, "Text", "VarChar"]);

function textScale({ nativeType }: StoredField): Scale | undefined {
  const key = (value: unknown) => (typeof value === "string" ? value.toLowerCase() : undefined);
  if (nativeType?.name === "Uuid") {
    const [minimum, greatest] = ["0", "f"].map((digit) =>
      "00000000-0000-0000-0000-000000000000".replaceAll("0", digit),
    );
    return { range: [cut(minimum ?? "", 0), cut(greatest ?? "", 1)], isOrdered: true, isWhole: false, key };
  }
  if (!plainTexts.has(nativeType?.name)) return undefined;
  // The order of texts depends on the database's collation.
  const exact = (value: unknown) => (typeof value === "string" ? value : undefined);
  return { range: [start, end], isOrdered: false, isWhole: false, key: exact };
}

/** Maximum number of decimal places of a value in a query. */
const maxFraction = 1000;

function decimalKey(text: string): bigint {
  const [integer = "", fraction = ""] = text.replace("-", "").split(".");
  const digits = BigInt(`${integer}${fraction.slice(0, maxFraction).padEnd(maxFraction, "0")}`);
  return text.startsWith("-") ? -digits : digits;
}
