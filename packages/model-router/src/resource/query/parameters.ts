import { type ConditionTree, type FieldNode, readText } from "@servicekit/query-parser/internal";
import type { QueryFaults } from "../filter/query-faults.js";

/** The parameters of a list that are no filters (contract C8). */
export const listParameters = ["sort", "page", "limit", "cursor", "fields", "include", "search", "count"] as const;

export type ListParameter = (typeof listParameters)[number] | "prismaQueryOptions";

/** What `readTree` takes for no filter. */
export const parameterNames: ReadonlySet<string> = new Set(listParameters);
/** The same where `prismaQueryOptions` are taken (contract C22). */
export const parameterNamesWithOptions: ReadonlySet<string> = new Set([...listParameters, "prismaQueryOptions"]);

/** The parameters of a query as texts; one that is repeated, or given as a list, is noted. */
export function readParameters(
  parameters: ConditionTree["parameters"],
  faults: QueryFaults,
): Partial<Readonly<Record<ListParameter, string>>> {
  const values: Partial<Record<ListParameter, string>> = {};
  for (const [word, node] of parameters as ReadonlyMap<ListParameter, FieldNode>) {
    for (const operand of node.operands) {
      const [value = ""] = operand.values;
      if (operand.values.length !== 1) faults.add(operand.parameter, "Repeated", `${word} may be given once.`);
      else if (operand.isList) faults.add(operand.parameter, "InvalidValue", `${word} takes no list.`);
      values[word] = word === "search" ? readText(value).text : value;
    }
  }
  return values;
}
