import { match } from "path-to-regexp";
import type { PathParams } from "../request/request-path.js";
import type { RoutePattern, RouterSettings } from "./express-layers.js";

/** The part of a path that a pattern matched, and its parameters: decoded, wildcards as lists. */
export interface PatternMatch {
  readonly path: string;
  readonly params: PathParams;
}

export type MatchPattern = (path: string) => PatternMatch | undefined;

/** Compiles a pattern with the options that Express gives to `path-to-regexp`: complete paths for routes, prefixes for mounted routers. */
export function compilePattern(
  pattern: RoutePattern,
  { caseSensitive = false, strict = false }: RouterSettings,
  isRoute: boolean,
): MatchPattern {
  if (typeof pattern !== "string") return (path) => matchExpression(pattern, path);
  if (!isRoute && pattern === "/") return () => everything;
  const isStrict = isRoute && strict;
  const matchPath = match(isStrict || pattern === "/" ? pattern : pattern.replace(/\/+$/, ""), {
    sensitive: caseSensitive,
    end: isRoute,
    trailing: !isStrict,
  });
  return (path) => {
    try {
      return (matchPath(path) as PatternMatch | false) || undefined;
    } catch {
      // A malformed percent-encoding, which Express rejects with 400.
      return undefined;
    }
  };
}

const everything: PatternMatch = Object.freeze({ path: "", params: Object.freeze({}) });

function matchExpression(pattern: RegExp, path: string): PatternMatch | undefined {
  const found = pattern.exec(path);
  if (found === null) return undefined;
  const names = groupNames(pattern);
  const params: Record<string, string> = {};
  for (const [index, text] of found.slice(1).entries()) {
    const decoded = text === undefined ? undefined : decode(text);
    if (decoded === null) return undefined;
    if (decoded !== undefined) params[names[index] ?? index] = decoded;
  }
  return { path: found[0], params };
}

/** The keys of the groups of an expression: their names, or their numbers among the nameless. */
function groupNames({ source }: RegExp): readonly string[] {
  let nameless = 0;
  return [...source.matchAll(/\((?:\?<(.*?)>)?(?!\?)/g)].map(([, name]) => name ?? String(nameless++));
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
