import type { QueryLimits } from "@servicekit/query-parser";
import type { QueryFaults } from "../filter/query-faults.js";
import { unknownName, type WantedNames } from "../filter/unknown-name.js";
import type { Where } from "../filter/where.js";
import type { Resource, Resources } from "../resource.js";
import type { IncludeLimits } from "../resource-config.js";

/** What `prismaQueryOptions` are read with. */
export interface PrismaOptionsContext {
  readonly resources: Resources;
  readonly limits: QueryLimits;
  readonly include: IncludeLimits;
  readonly faults: QueryFaults;
  /** Whether row rules hold: a cursor would then tell where a row stands that the caller may not read. */
  readonly isGuarded: boolean;
  /** The conditions of the whole text, and what those in its tree of relations cost. */
  readonly spent: { terms: number; cost: number };
}

/** The parameter's name. */
export const optionsParameter = "prismaQueryOptions";

/** Whether only these words are used; each other one is noted. */
export function checkWords(
  input: Where,
  words: readonly string[],
  path: readonly string[],
  context: PrismaOptionsContext,
): boolean {
  const others = Object.keys(input).filter((word) => !words.includes(word));
  for (const word of others) {
    refuse(context, [...path, word], "UnknownParameter", `is not known here; known are ${words.join(", ")}`);
  }
  return others.length === 0;
}

/** Notes a fault at a place inside the options. */
export function refuse(context: PrismaOptionsContext, path: readonly string[], code: string, what: string): void {
  context.faults.add(optionsParameter, code, `${placeOf(path)} ${what}.`);
}

/** Notes a name that cannot stand at a place, in the same words for a hidden one and for one that does not exist. */
export function refuseName(
  context: PrismaOptionsContext,
  path: readonly string[],
  name: unknown,
  resource: Resource,
  wanted: WantedNames,
): void {
  if (typeof name !== "string") refuse(context, path, "UnknownField", "takes names of fields");
  else {
    const message = unknownName(name.slice(0, 100), resource, wanted);
    context.faults.add(optionsParameter, "UnknownField", `${placeOf(path)}: ${message}`);
  }
}

function placeOf(path: readonly string[]): string {
  const place = [optionsParameter, ...path].join(".");
  return place.length > 200 ? `${place.slice(0, 200)}…` : place;
}
