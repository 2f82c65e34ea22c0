import { checkSegment, PathError } from "@servicekit/core/internal";
import { quote, reject } from "../query-errors.js";

const noNames: ReadonlySet<string> = new Set();

/**
 * Splits a parameter's name at `__` and at `[…]`; `[]` at the end becomes an empty last segment, which means "list". Of
 * three underscores, the first belongs to the name on the left.
 *
 * @param joined names that contain `__` themselves
 * @throws {HttpError} 400 `MalformedQuery` or `ForbiddenKey` (contract C20)
 */
export function splitName(name: string, parseDoubleUnderscore: boolean, joined = noNames): string[] {
  if (name.includes("__proto__")) throw reject("ForbiddenKey", name, `The name ${quote(name)} contains __proto__.`);
  if (name === "" || name.startsWith("[")) {
    throw reject("MalformedQuery", name, `The name ${quote(name)} does not start with a field.`);
  }
  const separates = parseDoubleUnderscore && name.includes("__");
  if (!separates && !/[[\]]/.test(name)) return [name];
  const segments: string[] = [];
  splitMixed(name, separates ? joined : undefined, segments);
  const isPath = segments.length > 2 || (segments[1] ?? "") !== "";
  if (isPath) for (const segment of segments) checkPathSegment(segment, name);
  return segments;
}

/** @param joined `undefined` where `__` does not separate */
function splitMixed(name: string, joined: ReadonlySet<string> | undefined, segments: string[]): void {
  for (let at = 0; at < name.length; ) {
    if (name[at] === "[") {
      const end = name.indexOf("]", at);
      const inside = name.slice(at + 1, end);
      if (end === -1 || inside.includes("[")) throw unmatched(name);
      if (inside === "" && end + 1 < name.length) {
        throw reject("MalformedQuery", name, `The name ${quote(name)} has [] before its end.`);
      }
      if (inside === "") segments.push("");
      else splitUnderscores(inside, name, joined, segments);
      at = end + 1;
    } else {
      const next = name.indexOf("[", at);
      const stop = next === -1 ? name.length : next;
      const isSeparated = at > 0 && joined !== undefined && name.startsWith("__", at);
      if (at > 0 && !isSeparated) throw unmatched(name);
      const part = name.slice(isSeparated ? at + 2 : at, stop);
      if (part.includes("]")) throw unmatched(name);
      splitUnderscores(part, name, joined, segments);
      at = stop;
    }
  }
}

function splitUnderscores(
  part: string,
  name: string,
  joined: ReadonlySet<string> | undefined,
  segments: string[],
): void {
  if (joined === undefined) {
    segments.push(part);
    return;
  }
  const found = splitSegments(part, /__(?!_)/y, joined);
  const isEmpty = (segment: string): boolean => segment === "" || (segment.endsWith("__") && !joined.has(segment));
  if (part.startsWith("__") || found.some(isEmpty)) {
    const message = `The name ${quote(name)} has an empty segment: "__" separates two names.`;
    throw reject("MalformedQuery", name, message);
  }
  segments.push(...found);
}

/**
 * Splits a path at its separator. A name that contains `__` itself is one segment; the longest such name matches first.
 *
 * @param separator a sticky pattern
 * @param max the maximum number of segments; the rest is ignored
 */
export function splitSegments(path: string, separator: RegExp, joined = noNames, max = Infinity): string[] {
  if (joined.size === 0) return path.split(separator, Math.min(max, 2 ** 32 - 1));
  const segments: string[] = [];
  for (let start = 0, at = 0; ; ) {
    const known = at === start ? longestName(path, at, separator, joined) : undefined;
    if (known !== undefined) at += known.length;
    separator.lastIndex = at;
    const end = separator.test(path) ? separator.lastIndex : undefined;
    if (end === undefined && at < path.length) {
      at++;
      continue;
    }
    segments.push(path.slice(start, at));
    if (end === undefined || segments.length === max) return segments;
    start = at = end;
  }
}

function longestName(path: string, at: number, separator: RegExp, joined: ReadonlySet<string>): string | undefined {
  let longest: string | undefined;
  for (const name of joined) {
    if (name.length <= (longest?.length ?? 0) || !path.startsWith(name, at)) continue;
    separator.lastIndex = at + name.length;
    if (at + name.length === path.length || separator.test(path)) longest = name;
  }
  return longest;
}

/**
 * Rejects the segments by which a path could reach a prototype (contract C20).
 *
 * @throws {HttpError} 400 `ForbiddenKey`
 */
export function checkPathSegment(segment: string, parameter: string): void {
  try {
    checkSegment(segment, parameter);
  } catch (error) {
    if (error instanceof PathError) throw reject("ForbiddenKey", parameter, error.message);
    throw error;
  }
}

const unmatched = (name: string) => reject("MalformedQuery", name, `The name ${quote(name)} has unbalanced brackets.`);
