import type { RoutePattern } from "./express-layers.js";

/** Finds the patterns that can match a path, in time that does not grow with their number. */
export interface RouteIndex {
  /**
   * Adds a pattern.
   *
   * @param patterns the patterns of the routers above, then its own
   * @param isPrefix whether it also matches everything below its path
   */
  add(patterns: readonly RoutePattern[], position: number, isPrefix?: boolean): void;
  /** The positions of all patterns that match a path, and perhaps of others, ascending. */
  candidates(path: string): readonly number[];
}

interface Segment {
  readonly words: Map<string, Segment>;
  any: Segment | undefined;
  /** Positions of the patterns that end here. */
  readonly ends: number[];
  /** Positions of the patterns that match everything from here on. */
  readonly prefixes: number[];
}

const makeSegment = (): Segment => ({ words: new Map(), any: undefined, ends: [], prefixes: [] });

/** A segment without parameters: only its letter case may differ in a match. */
const literal = /^[\w\-.~$%&',;=@ ]+$/;

/** Creates an index of complete paths. Letter case and trailing slashes are ignored, since exact matching follows. */
export function makeRouteIndex(): RouteIndex {
  const root = makeSegment();
  return {
    add(patterns, position, isPrefix = false) {
      const { segments, isOpen } = splitPatterns(patterns);
      let node = root;
      for (const segment of segments) node = child(node, segment.toLowerCase());
      (isOpen || isPrefix ? node.prefixes : node.ends).push(position);
    },
    candidates(path) {
      const found: number[] = [];
      collect(root, path.toLowerCase().split("/"), 1, found);
      return found.length < 2 ? found : found.sort((one, other) => one - other);
    },
  };
}

/** The segments before the first one of which nothing is known but its beginning; `isOpen` when there is one. */
function splitPatterns(patterns: readonly RoutePattern[]): {
  readonly segments: readonly string[];
  readonly isOpen: boolean;
} {
  const segments: string[] = [];
  for (const pattern of patterns) {
    const isPlain = typeof pattern === "string" && !pattern.includes('"') && /^(?:\/|$)/.test(pattern);
    if (!isPlain) return { segments, isOpen: true };
    const special = pattern.search(/[*{\\]/);
    const known = special === -1 ? pattern.replace(/\/+$/, "") : pattern.slice(0, special);
    const parts = known.split("/").slice(1);
    if (special === -1) segments.push(...parts);
    else return { segments: [...segments, ...parts.slice(0, -1)], isOpen: true };
  }
  return { segments, isOpen: false };
}

function child(node: Segment, segment: string): Segment {
  if (!literal.test(segment)) {
    node.any ??= makeSegment();
    return node.any;
  }
  const known = node.words.get(segment);
  if (known !== undefined) return known;
  const made = makeSegment();
  node.words.set(segment, made);
  return made;
}

function collect(node: Segment, segments: readonly string[], depth: number, found: number[]): void {
  for (const position of node.prefixes) found.push(position);
  if (node.ends.length > 0 && isAtEnd(segments, depth)) found.push(...node.ends);
  const segment = segments[depth];
  if (segment === undefined) return;
  const next = node.words.get(segment);
  if (next !== undefined) collect(next, segments, depth + 1, found);
  if (node.any !== undefined) collect(node.any, segments, depth + 1, found);
}

/** Whether only slashes are left of a path. */
function isAtEnd(segments: readonly string[], depth: number): boolean {
  for (let at = depth; at < segments.length; at++) if (segments[at] !== "") return false;
  return true;
}
