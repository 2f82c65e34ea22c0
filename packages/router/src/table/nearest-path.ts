import { nearestWord } from "@servicekit/core/internal";
import type { Request } from "express";
import { type AuthenticationConfig, requiredAuthentication } from "../declaration/authentication.js";
import { declaredValue } from "../declaration/declared-route.js";
import type { RouteTable } from "./route-table.js";

/** Returns whether the caller of a request may use a route with this declaration. */
export type MayEnter = (request: Request, authentication: AuthenticationConfig) => boolean | Promise<boolean>;

/** The visible words of routes as a tree: the possible words after a prefix. */
interface Words {
  /** By word in lower case; a parameter matches any word. */
  readonly next: Map<string, { readonly word: string; readonly words: Words }>;
  parameter: Words | undefined;
  /** The declarations of the routes that end here. */
  readonly ends: { readonly order: number; readonly authentication: AuthenticationConfig }[];
}

/** A path that differs in one word. */
interface Candidate {
  /** The index of the route. */
  readonly order: number;
  /** The index of the word. */
  readonly at: number;
  readonly word: string;
  readonly authentication: AuthenticationConfig;
}

/** A longer word is not a typo. */
const longestWord = 40;

/**
 * The path that a request for an unknown one most likely meant: with one word replaced by that of a route which the
 * caller may use (contract C50). Undocumented routes, and plain ones of Express, are never suggested.
 */
export function makeNearestPath(
  table: RouteTable,
  mayEnter: MayEnter,
): (request: Request, path: string) => string | undefined | Promise<string | undefined> {
  let known: Words | undefined;
  return (request, path) => {
    const parts = partsOf(path);
    if (parts.some((part) => part.length > longestWord)) return undefined;
    known ??= namedRoutes(table);
    const candidates: Candidate[] = [];
    collect(known, parts, { depth: 0, other: undefined }, candidates);
    if (candidates.length === 0) return undefined;
    candidates.sort((one, other) => one.order - other.order);
    return nearestOf(candidates, parts, (authentication) => mayEnter(request, authentication));
  };
}

const makeWords = (): Words => ({ next: new Map(), parameter: undefined, ends: [] });

function namedRoutes({ entries }: RouteTable): Words {
  const root = makeWords();
  for (const [order, { path, route }] of entries.entries()) {
    const isHidden = route === undefined || declaredValue(route.config, "experimental.openapi") === false;
    if (isHidden || /[{}*]/.test(path)) continue;
    let words = root;
    for (const word of partsOf(path)) words = word.startsWith(":") ? parameterOf(words) : nextOf(words, word);
    words.ends.push({ order, authentication: requiredAuthentication(route.config.authentication) });
  }
  return root;
}

function parameterOf(words: Words): Words {
  words.parameter ??= makeWords();
  return words.parameter;
}

function nextOf({ next }: Words, word: string): Words {
  const key = word.toLowerCase();
  const known = next.get(key);
  if (known !== undefined) return known.words;
  const words = makeWords();
  next.set(key, { word, words });
  return words;
}

const partsOf = (path: string): string[] => path.split("/").filter((part) => part !== "");

interface Step {
  readonly depth: number;
  /** The only different word so far. */
  readonly other: Pick<Candidate, "at" | "word"> | undefined;
}

/** The routes that differ from a path in one word. */
function collect(words: Words, parts: readonly string[], { depth, other }: Step, found: Candidate[]): void {
  const part = parts[depth]?.toLowerCase();
  if (part === undefined) {
    if (other !== undefined) for (const end of words.ends) found.push({ ...end, ...other });
    return;
  }
  if (words.parameter !== undefined) collect(words.parameter, parts, { depth: depth + 1, other }, found);
  const same = words.next.get(part);
  if (same !== undefined) collect(same.words, parts, { depth: depth + 1, other }, found);
  if (other !== undefined) return;
  for (const [key, { word, words: behind }] of words.next) {
    if (key !== part) collect(behind, parts, { depth: depth + 1, other: { at: depth, word } }, found);
  }
}

type Test = (authentication: AuthenticationConfig) => boolean | Promise<boolean>;

/** By word index: the possible words, and the declarations of their routes. */
type Choices = Map<number, Map<string, AuthenticationConfig[]>>;

function nearestOf(
  candidates: readonly Candidate[],
  parts: readonly string[],
  mayEnter: Test,
): string | undefined | Promise<string | undefined> {
  const choices: Choices = new Map();
  for (const { at, word, authentication } of candidates) {
    const words = choices.get(at) ?? new Map<string, AuthenticationConfig[]>();
    choices.set(at, words);
    const rules = words.get(word) ?? [];
    words.set(word, rules);
    rules.push(authentication);
  }
  // Without a candidate, nothing is awaited.
  for (const [at, words] of choices) {
    if (nearestWord(parts[at] ?? "", words.keys()) !== undefined) return nearestOpen(choices, parts, mayEnter);
  }
  return undefined;
}

async function nearestOpen(choices: Choices, parts: readonly string[], mayEnter: Test): Promise<string | undefined> {
  for (const [at, words] of choices) {
    for (;;) {
      const near = nearestWord(parts[at] ?? "", words.keys());
      if (near === undefined) break;
      if (await anyOf(words.get(near) ?? [], mayEnter)) return `/${parts.with(at, near).join("/")}`;
      words.delete(near);
    }
  }
  return undefined;
}

async function anyOf<Item>(items: readonly Item[], test: (item: Item) => boolean | Promise<boolean>): Promise<boolean> {
  for (const item of items) if (await test(item)) return true;
  return false;
}
