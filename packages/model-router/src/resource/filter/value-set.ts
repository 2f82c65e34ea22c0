import type { StoredField } from "@servicekit/prisma";
import { integerRange } from "../values/integer-range.js";
import { decimalShape } from "../values/read-decimal.js";

/** A value in an order; those of one field are of one kind. */
type Key = bigint | number | string;

/** A place between two values: right before or right after a key, or an end of all. */
interface Cut {
  readonly end: -1 | 0 | 1;
  readonly key: Key;
  readonly side: 0 | 1;
}

/** Values of one field: everything between pairs of cuts, in order and apart. */
export interface ValueSet {
  readonly whole: readonly [Cut, Cut];
  readonly spans: readonly (readonly [Cut, Cut])[];
}

/** How the values of a field are ordered. */
interface Scale {
  readonly whole: readonly [Cut, Cut];
  /** Whether the database compares by this order too. */
  readonly isOrdered: boolean;
  /** Whether there is nothing between a key and the next one. */
  readonly isWhole: boolean;
  /** `undefined` for what is no value of the field. */
  readonly key: (value: unknown) => Key | undefined;
  /** The key that stands for a bound: what is as good as an end, is the end. */
  readonly bound?: (key: Key) => Key;
}

/**
 * The values that a condition lets through, by its field's type.
 *
 * @returns `undefined` for a condition that is more than a comparison with values
 */
export function valuesOf(field: StoredField, operator: string, operand: unknown): ValueSet | undefined {
  const scale = field.isList ? undefined : scaleOf(field);
  if (scale === undefined) return undefined;
  const { whole } = scale;
  const values: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  const keys = values.map(scale.key);
  if (keys.includes(undefined)) return undefined;
  const after = (key: Key): Cut => (scale.isWhole ? cut(nextKey(key), 0) : cut(key, 1));
  const points = makeSet(
    whole,
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
  const [low, high] = whole;
  switch (operator) {
    case "lt":
      return makeSet(whole, [[low, cut(bound, 0)]]);
    case "lte":
      return makeSet(whole, [[low, after(bound)]]);
    case "gte":
      return makeSet(whole, [[cut(bound, 0), high]]);
    case "gt": {
      // Beyond the least date and the least float nobody stores a value.
      const isLeast = scale.bound !== undefined && compareCuts(cut(bound, 0), low) <= 0;
      return makeSet(whole, [[isLeast ? low : after(bound), high]]);
    }
    default:
      return undefined;
  }
}

/** Everything that is in one of these. */
export function unionOf(sets: readonly [ValueSet, ...ValueSet[]]): ValueSet {
  return makeSet(
    sets[0].whole,
    sets.flatMap(({ spans }) => spans),
  );
}

/** Everything that is in all of these. */
export function intersectionOf(sets: readonly [ValueSet, ...ValueSet[]]): ValueSet {
  const [first, ...others] = sets;
  return complement(unionOf([complement(first), ...others.map(complement)]));
}

/** Everything that is not in it. */
export function complement({ whole, spans }: ValueSet): ValueSet {
  const [low, high] = whole;
  const ends = spans.map(([, end]) => end);
  const starts = spans.map(([start]) => start);
  return makeSet(
    whole,
    [low, ...ends].map((start, index) => [start, starts[index] ?? high]),
  );
}

/** Whether there is nothing else, or nothing at all. */
export function extentOf({ whole, spans }: ValueSet): "every" | "some" | "none" {
  const [only] = spans;
  if (only === undefined) return "none";
  const isWhole = compareCuts(only[0], whole[0]) === 0 && compareCuts(only[1], whole[1]) === 0;
  return isWhole ? "every" : "some";
}

/** Puts spans in order, within the whole, and joins those that touch. */
function makeSet(whole: readonly [Cut, Cut], spans: readonly (readonly [Cut, Cut])[]): ValueSet {
  const [low, high] = whole;
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
  return { whole, spans: joined };
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
      return { whole: [cut(min, 0), cut(max + 1n, 0)], isOrdered: true, isWhole: true, key };
    }
    case "Float": {
      const most = field.nativeType?.name === "Real" ? (2 - 2 ** -23) * 2 ** 127 : Number.MAX_VALUE;
      const key = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : undefined);
      return { whole: [cut(-most, 0), cut(most, 1)], isOrdered: true, isWhole: false, key, bound: (given) => given };
    }
    case "Decimal": {
      const { whole, fraction } = decimalShape(field);
      const most = decimalKey(`${"9".repeat(whole) || "0"}.${"9".repeat(fraction)}`);
      const key = (value: unknown) => (typeof value === "string" && /\d/.test(value) ? decimalKey(value) : undefined);
      return { whole: [cut(-most, 0), cut(most, 1)], isOrdered: true, isWhole: false, key };
    }
    case "DateTime":
      return dateScale(field);
    case "String":
      return textScale(field);
    default:
      return undefined;
  }
}

/** Values that have a place in a list and no order. */
function namedScale(values: readonly unknown[]): Scale {
  const key = (value: unknown) => {
    const index = values.indexOf(value);
    return index === -1 ? undefined : index;
  };
  return { whole: [cut(0, 0), cut(values.length, 0)], isOrdered: false, isWhole: true, key };
}

const leastDate = Date.parse("0001-01-01T00:00:00.000Z");
const greatestDate = Date.parse("9999-12-31T23:59:59.999Z");

function dateScale({ nativeType }: StoredField): Scale {
  const key = (value: unknown) => {
    const time = value instanceof Date ? value.getTime() : Number.NaN;
    return time >= leastDate && time <= greatestDate ? time : undefined;
  };
  if (nativeType?.name === "Time" || nativeType?.name === "Timetz") {
    return { whole: [cut(0, 0), end], isOrdered: true, isWhole: false, key };
  }
  // The first and the last year stand for "ever".
  const bound = (time: Key): Key => {
    const year = new Date(Number(time)).getUTCFullYear();
    return year <= 1 ? leastDate : year >= 9999 ? greatestDate : time;
  };
  return { whole: [cut(leastDate, 0), cut(greatestDate, 1)], isOrdered: true, isWhole: false, key, bound };
}

const plainTexts: ReadonlySet<string | undefined> = new Set([undefined, "Text", "VarChar"]);

function textScale({ nativeType }: StoredField): Scale | undefined {
  const key = (value: unknown) => (typeof value === "string" ? value.toLowerCase() : undefined);
  if (nativeType?.name === "Uuid") {
    const [least, greatest] = ["0", "f"].map((digit) => "00000000-0000-0000-0000-000000000000".replaceAll("0", digit));
    return { whole: [cut(least ?? "", 0), cut(greatest ?? "", 1)], isOrdered: true, isWhole: false, key };
  }
  if (!plainTexts.has(nativeType?.name)) return undefined;
  // The order of texts is that of the database's language.
  const exact = (value: unknown) => (typeof value === "string" ? value : undefined);
  return { whole: [start, end], isOrdered: false, isWhole: false, key: exact };
}

/** Digits behind the point that a value of a query can have. */
const mostFraction = 1000;

function decimalKey(text: string): bigint {
  const [whole = "", fraction = ""] = text.replace("-", "").split(".");
  const digits = BigInt(`${whole}${fraction.slice(0, mostFraction).padEnd(mostFraction, "0")}`);
  return text.startsWith("-") ? -digits : digits;
}
