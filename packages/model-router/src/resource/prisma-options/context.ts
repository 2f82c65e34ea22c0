import type { QueryLimits } from "@servicekit/query-parser";
import type { IncludeLimits } from "../config/resource-config.js";
import type { QueryIssues } from "../filter/query-issues.js";
import { unknownName, type WantedNames } from "../filter/unknown-name.js";
import type { Where } from "../filter/where.js";
import type { Resource, Resources } from "../resource.js";

/** The context of reading `prismaQueryOptions`. */
export interface PrismaOptionsContext {
  readonly resources: Resources;
  readonly limits: QueryLimits;
  readonly include: IncludeLimits;
  readonly issues: QueryIssues;
  /** Whether row rules apply: a cursor would then reveal the position of a forbidden row. */
  readonly isGuarded: boolean;
  /** The number of conditions of the complete text, and the cost of those in its tree of relations. */
  readonly spent: { terms: number; cost: number };
}

/** The parameter's name. */
export const optionsParameter = "prismaQueryOptions";

/** Whether only these keys are used; an error is added for each other one. */
export function checkWords(
  input: Where,
  words: readonly string[],
  path: readonly string[],
  context: PrismaOptionsContext,
): boolean {
  const others = Object.keys(input).filter((word) => !words.includes(word));
  for (const word of others) {
    reject(context, [...path, word], "UnknownParameter", `is unknown; expected one of ${words.join(", ")}`);
  }
  return others.length === 0;
}

/** Adds an error at a place inside the options. */
export function reject(context: PrismaOptionsContext, path: readonly string[], code: string, what: string): void {
  context.issues.add(optionsParameter, code, `${placeOf(path)} ${what}.`);
}

/** Adds an error for a name that is not allowed at a place, with the same message for a hidden and an unknown one. */
export function rejectName(
  context: PrismaOptionsContext,
  path: readonly string[],
  name: unknown,
  resource: Resource,
  wanted: WantedNames,
): void {
  if (typeof name !== "string") reject(context, path, "UnknownField", "must contain field names");
  else {
    const message = unknownName(name.slice(0, 100), resource, wanted);
    context.issues.add(optionsParameter, "UnknownField", `${placeOf(path)}: ${message}`);
  }
}

function placeOf(path: readonly string[]): string {
  const place = [optionsParameter, ...path].join(".");
  return place.length > 200 ? `${place.slice(0, 200)}…` : place;
}
