import { type ConditionTree, readText } from "@servicekit/query-parser/internal";
import type { QueryIssues } from "../filter/query-issues.js";

/** The parameters of a list that are not filters (contract C8). */
export const listParameters = ["sort", "page", "limit", "cursor", "fields", "include", "search", "count"] as const;

export type ListParameter = (typeof listParameters)[number] | "prismaQueryOptions";

/** The names that `readTree` does not read as filters. */
export const parameterNames: ReadonlySet<string> = new Set(listParameters);
/** The same with `prismaQueryOptions` (contract C22). */
export const parameterNamesWithOptions: ReadonlySet<string> = new Set([...listParameters, "prismaQueryOptions"]);

/** The parameters of a query as strings; an error is added for repeated ones and lists. */
export function readParameters<Parameter extends string = ListParameter>(
  parameters: ConditionTree["parameters"],
  issues: QueryIssues,
): Partial<Readonly<Record<Parameter, string>>> {
  const values: Partial<Record<Parameter, string>> = {};
  for (const [name, node] of parameters) {
    const word = name as Parameter;
    for (const operand of node.operands) {
      const [value = ""] = operand.values;
      if (operand.values.length !== 1) issues.add(operand.parameter, "Repeated", `${word} must appear only once.`);
      else if (operand.isList) issues.add(operand.parameter, "InvalidValue", `${word} must not be a list.`);
      values[word] = word === "search" ? readText(value).text : value;
    }
  }
  return values;
}
