import { checkSegment, PathError } from "@servicekit/field-path";
import { quote, refuse } from "./query-errors.js";

/**
 * Splits a parameter's name at `__` and at `[…]`; `[]` at the end becomes an empty last segment, which means "list". Of
 * three underscores the first belongs to the name on the left.
 *
 * @throws {HttpError} 400 `MalformedQuery` or `ForbiddenKey` (contract C20)
 */
export function splitName(name: string, parseDoubleUnderscore: boolean): string[] {
  if (name.includes("__proto__")) throw refuse("ForbiddenKey", name, `The name ${quote(name)} has __proto__ in it.`);
  if (name === "" || name.startsWith("[")) {
    throw refuse("MalformedQuery", name, `The name ${quote(name)} begins with no field.`);
  }
  const separates = parseDoubleUnderscore && name.includes("__");
  if (!separates && !/[[\]]/.test(name)) return [name];
  const segments: string[] = [];
  splitMixed(name, separates, segments);
  const isPath = segments.length > 2 || (segments[1] ?? "") !== "";
  if (isPath) for (const segment of segments) checkPathSegment(segment, name);
  return segments;
}

function splitMixed(name: string, separates: boolean, segments: string[]): void {
  for (let at = 0; at < name.length; ) {
    if (name[at] === "[") {
      const end = name.indexOf("]", at);
      const inside = name.slice(at + 1, end);
      if (end === -1 || inside.includes("[")) throw unmatched(name);
      if (inside === "" && end + 1 < name.length) {
        throw refuse("MalformedQuery", name, `The name ${quote(name)} has [] before its end.`);
      }
      if (inside === "") segments.push("");
      else splitUnderscores(inside, name, separates, segments);
      at = end + 1;
    } else {
      const next = name.indexOf("[", at);
      const stop = next === -1 ? name.length : next;
      const joined = at > 0 && separates && name.startsWith("__", at);
      if (at > 0 && !joined) throw unmatched(name);
      const part = name.slice(joined ? at + 2 : at, stop);
      if (part.includes("]")) throw unmatched(name);
      splitUnderscores(part, name, separates, segments);
      at = stop;
    }
  }
}

function splitUnderscores(part: string, name: string, separates: boolean, segments: string[]): void {
  if (!separates) {
    segments.push(part);
    return;
  }
  const found = part.split(/__(?!_)/);
  if (part.startsWith("__") || found.some((segment) => segment === "" || segment.endsWith("__"))) {
    const message = `The name ${quote(name)} has an empty segment: "__" stands between two names.`;
    throw refuse("MalformedQuery", name, message);
  }
  segments.push(...found);
}

/**
 * Refuses the segments by which a path could reach a prototype (contract C20).
 *
 * @throws {HttpError} 400 `ForbiddenKey`
 */
export function checkPathSegment(segment: string, parameter: string): void {
  try {
    checkSegment(segment, parameter);
  } catch (error) {
    if (error instanceof PathError) throw refuse("ForbiddenKey", parameter, error.message);
    throw error;
  }
}

const unmatched = (name: string) =>
  refuse("MalformedQuery", name, `The name ${quote(name)} has brackets that do not match.`);
