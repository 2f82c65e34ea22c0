import { nearestWord } from "@servicekit/errors";
import type { Request } from "express";
import type { AuthenticationConfig } from "./declaration/authentication.js";
import { declaredValue } from "./declaration/declared-route.js";
import type { RouteTable } from "./route-table.js";

/** Answers whether the caller of a request may enter a route that declares this. */
export type MayEnter = (request: Request, authentication: AuthenticationConfig) => boolean | Promise<boolean>;

/** A route that may be named to somebody. */
interface Known {
  readonly parts: readonly string[];
  readonly authentication: AuthenticationConfig;
}

/** A longer word is no slip of a pen. */
const longestWord = 40;

/**
 * The path that a request for an unknown one most likely meant: with one word of it replaced by that of a route which the
 * caller may enter (contract C50). Routes that are no part of the documentation, and plain ones of Express, are never named.
 */
export function makeNearestPath(
  table: RouteTable,
  mayEnter: MayEnter,
): (request: Request, path: string) => Promise<string | undefined> {
  let known: readonly Known[] | undefined;
  return async (request, path) => {
    known ??= namedRoutes(table);
    const parts = partsOf(path);
    if (parts.some((part) => part.length > longestWord)) return undefined;
    const candidates = new Map<number, Map<string, AuthenticationConfig[]>>();
    for (const route of known) {
      const at = onlyDifference(route.parts, parts);
      const word = at === undefined ? undefined : route.parts[at];
      if (at === undefined || word === undefined) continue;
      const words = candidates.get(at) ?? new Map<string, AuthenticationConfig[]>();
      candidates.set(at, words);
      words.set(word, [...(words.get(word) ?? []), route.authentication]);
    }
    for (const [at, words] of candidates) {
      const open: string[] = [];
      for (const [word, rules] of words) if (await anyOf(rules, (rule) => mayEnter(request, rule))) open.push(word);
      const near = nearestWord(parts[at] ?? "", open);
      if (near !== undefined) return `/${parts.with(at, near).join("/")}`;
    }
    return undefined;
  };
}

function namedRoutes({ entries }: RouteTable): readonly Known[] {
  return entries.flatMap(({ path, route }) => {
    const isHidden = route === undefined || declaredValue(route.config, "experimental.openapi") === false;
    return isHidden || /[{}*]/.test(path)
      ? []
      : [{ parts: partsOf(path), authentication: route.config.authentication ?? false }];
  });
}

const partsOf = (path: string): string[] => path.split("/").filter((part) => part !== "");

/** Where two paths differ, when it is in one word that a route gives; a parameter is like anything. */
function onlyDifference(route: readonly string[], parts: readonly string[]): number | undefined {
  if (route.length !== parts.length) return undefined;
  let found: number | undefined;
  for (const [index, word] of route.entries()) {
    if (word.startsWith(":") || word.toLowerCase() === parts[index]?.toLowerCase()) continue;
    if (found !== undefined) return undefined;
    found = index;
  }
  return found;
}

async function anyOf<Item>(items: readonly Item[], test: (item: Item) => boolean | Promise<boolean>): Promise<boolean> {
  for (const item of items) if (await test(item)) return true;
  return false;
}
