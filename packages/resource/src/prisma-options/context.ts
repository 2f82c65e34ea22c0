import type { QueryLimits } from "@servicekit/query-parser";
import type { QueryFaults } from "../filter/query-faults.js";
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
  const place = [optionsParameter, ...path].join(".");
  context.faults.add(optionsParameter, code, `${place.length > 200 ? `${place.slice(0, 200)}…` : place} ${what}.`);
}

/** Notes an unknown field, in the same words for a hidden one and for one that does not exist. */
export function refuseName(
  context: PrismaOptionsContext,
  path: readonly string[],
  name: unknown,
  resource: Resource,
): void {
  const told = typeof name === "string" ? name.slice(0, 100) : "without a name";
  refuse(context, path, "UnknownField", `names no field of ${resource.model.name}: ${told}`);
}
