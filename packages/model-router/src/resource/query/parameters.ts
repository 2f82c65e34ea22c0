import { type ConditionTree, readText } from "@servicekit/query-parser/internal";
import type { QueryIssues } from "../filter/query-issues.js";
import type { Resource } from "../resource.js";

/** The parameters of a list that are not filters (contract C8). */
export const listParameters = ["sort", "page", "limit", "cursor", "fields", "include", "search", "count"] as const;

export type ListParameter = (typeof listParameters)[number] | "highlight" | "prismaQueryOptions";

/** The names that `readTree` does not read as filters. */
export const parameterNames: ReadonlySet<string> = new Set(listParameters);
/** The same with `prismaQueryOptions` (contract C22). */
export const parameterNamesWithOptions: ReadonlySet<string> = new Set([...listParameters, "prismaQueryOptions"]);

const ofFullText: ReadonlySet<string> = new Set([...parameterNames, "highlight"]);
const ofFullTextWithOptions: ReadonlySet<string> = new Set([...parameterNamesWithOptions, "highlight"]);

/** The parameters of a list of a model; one with full-text search has `highlight` (contract C103). */
export function listParametersOf({ search }: Pick<Resource, "search">, takesOptions: boolean): ReadonlySet<string> {
  if (search?.mode === "fullText") return takesOptions ? ofFullTextWithOptions : ofFullText;
  return takesOptions ? parameterNamesWithOptions : parameterNames;
}

/**
 * The parameters of a query as strings; an error is added for repeated ones and lists.
 *
 * @param resource with full-text search, quotes around `search` make it a phrase
 */
export function readParameters<Parameter extends string = ListParameter>(
  parameters: ConditionTree["parameters"],
  issues: QueryIssues,
  resource?: Pick<Resource, "search">,
): Partial<Readonly<Record<Parameter, string>>> {
  const values: Partial<Record<Parameter, string>> = {};
  for (const [name, node] of parameters) {
    const word = name as Parameter;
    for (const operand of node.operands) {
      const [value = ""] = operand.values;
      if (operand.values.length !== 1) issues.add(operand.parameter, "Repeated", `${word} must appear only once.`);
      else if (operand.isList) issues.add(operand.parameter, "InvalidValue", `${word} must not be a list.`);
      values[word] = word === "search" ? searchText(value, resource) : value;
    }
  }
  return values;
}

/** Clients put a text that begins with a quote in quotes, and escape its own (contract C19); other quotes are a phrase. */
function searchText(value: string, resource: Pick<Resource, "search"> | undefined): string {
  return resource?.search?.mode === "fullText" && !value.startsWith('"\\"') ? value : readText(value).text;
}
