import type { ValidationIssue } from "@servicekit/core";
import { fromJsonPointer } from "@servicekit/core/internal";
import type { PlaceIssues } from "@servicekit/router/internal";

/**
 * Names the places of issues as lines and columns of the body, such as `line 7, price`, in place of JSON Pointers.
 *
 * @param lines the line of each item
 * @param header the line with the names of all items, if there is one: it has the issues of unknown names
 */
export function placesIn(lines: readonly number[], header?: number): PlaceIssues {
  return (issues) => {
    const named = new Set<string>();
    return issues.flatMap((issue): ValidationIssue[] => {
      const [index, ...names] = issue.in === "body" && issue.path.startsWith("/") ? fromJsonPointer(issue.path) : [];
      const line = lines[Number(index)];
      if (line === undefined) return [issue];
      const isOfHeader = header !== undefined && issue.code === "UnknownField" && names.length === 1;
      const path = linePath(isOfHeader ? header : line, names);
      if (isOfHeader && named.has(path)) return [];
      named.add(path);
      return [{ ...issue, path }];
    });
  };
}

/** The place of a value. */
export const linePath = (line: number, names: readonly string[] = []): string =>
  names.length === 0 ? `line ${line}` : `line ${line}, ${names.join("/")}`;
