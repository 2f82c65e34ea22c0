import { readTerms } from "@servicekit/query-parser";
import { QueryFaults } from "../filter/query-faults.js";
import type { Resource } from "../resource.js";
import { splitParameters } from "./parameters.js";
import { readFields } from "./read-fields.js";
import { readInclude, type Select } from "./read-include.js";
import type { QueryContext } from "./read-list-query.js";

/**
 * Reads the query of a request for one row: `fields` and `include` where rows are read, nothing where they are written.
 *
 * @throws {HttpError} 400 that names every other parameter
 */
export function readOneQuery(search: string, resource: Resource, context: QueryContext, isRead: boolean): Select {
  if (search === "") return resource.select;
  const faults = new QueryFaults();
  const { limits, resources, parseDoubleUnderscore } = context;
  const terms = readTerms(search, { parseDoubleUnderscore, limits });
  const taken: readonly string[] = isRead ? ["fields", "include"] : [];
  for (const { name, segments } of terms) {
    if (segments.length === 1 && taken.includes(segments[0] ?? "")) continue;
    const hint = isRead ? "it takes fields and include" : "it takes none";
    faults.add(name, "UnknownParameter", `This path takes no parameter ${name}; ${hint}.`);
  }
  const { values } = splitParameters(terms, faults);
  const fields = readFields(isRead ? values.fields : undefined, resource, faults);
  const include = isRead ? values.include : undefined;
  const select = readInclude(include, fields, resource, { resources, limits: context.include, faults });
  faults.check();
  return select;
}
