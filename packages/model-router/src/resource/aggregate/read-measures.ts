import {
  type AggregateFunction,
  aggregateFunctions,
  isSortable,
  type Measure,
  measuresOf,
} from "@servicekit/prisma/internal";
import type { QueryIssues } from "../filter/query-issues.js";
import { unknownName } from "../filter/unknown-name.js";
import type { Resource } from "../resource.js";
import type { AggregateParameter } from "./parameters.js";

type Values = Partial<Readonly<Record<AggregateParameter, string>>>;

/** Reads `count=true&sum=total,tax&max=createdAt`, in the order of a response. */
export function readMeasures(values: Values, resource: Resource, issues: QueryIssues): Measure[] {
  const { count } = values;
  if (count !== undefined && count !== "true" && count !== "false")
    issues.add("count", "InvalidValue", "count must be true or false.");
  const counted = count === "true" ? [measuresOf(resource.listed).get("count")] : [];
  const others = aggregateFunctions.flatMap((word) => {
    const text = values[word];
    if (text === undefined) return [];
    const names = text.split(",", resource.listed.size + 1);
    const repeated = names.find((name, at) => name !== "" && names.indexOf(name) < at);
    if (repeated !== undefined) {
      issues.add(word, "Repeated", `${word} must name ${repeated} only once.`);
      return [];
    }
    return names.map((name) => findMeasure(word, name, resource, { parameter: word, issues }));
  });
  return [...counted, ...others].filter((measure) => measure !== undefined);
}

/** A measure by its function and its field; an error is added if there is none. */
export function findMeasure(
  word: AggregateFunction,
  name: string,
  resource: Resource,
  { parameter, issues }: { readonly parameter: string; readonly issues: QueryIssues },
): Measure | undefined {
  const measures = measuresOf(resource.listed);
  const measure = measures.get(`${word}.${name}`);
  if (measure !== undefined) return measure;
  const fitting = [...resource.listed.keys()].filter((field) => measures.has(`${word}.${field}`));
  const field = resource.listed.get(name);
  if (name === "") issues.add(parameter, "InvalidValue", `${word} must be names of fields, separated by commas.`);
  else if (field === undefined)
    issues.add(parameter, "UnknownField", () => unknownName(name, resource, { wants: "field", known: fitting }));
  else issues.add(parameter, "InvalidValue", `${word} cannot use ${name}: ${unfit(word, isSortable(field))}.`);
  return undefined;
}

function unfit(word: AggregateFunction, isOrdered: boolean): string {
  if (word === "sum" || word === "avg") return "its values are not numbers";
  return isOrdered ? "PostgreSQL has no minimum and maximum of its type" : "its values have no order";
}
