import { readTerms } from "@servicekit/query-parser";
import { QueryFaults } from "../filter/query-faults.js";
import { readPrismaOptions } from "../prisma-options/read-options.js";
import type { Resource } from "../resource.js";
import type { Select } from "../shown.js";
import { splitParameters } from "./parameters.js";
import { readFields } from "./read-fields.js";
import { readInclude } from "./read-include.js";
import type { QueryContext } from "./read-list-query.js";

/**
 * Reads the query of a request for one row: `fields` and `include` where rows are read, nothing where they are written.
 *
 * @throws {HttpError} 400 that names every other parameter
 */
export function readOneQuery(search: string, resource: Resource, context: QueryContext, isRead: boolean): Select {
  if (search === "" && (!isRead || resource.shown.findOne.relations === undefined)) {
    return isRead ? resource.shown.findOne.select : resource.select;
  }
  const faults = new QueryFaults();
  const { limits, resources, parseDoubleUnderscore } = context;
  const terms = readTerms(search, { parseDoubleUnderscore, limits });
  const takesOptions = isRead && context.allowDangerousOrmQueryOptions;
  const taken: readonly string[] = isRead ? ["fields", "include", ...(takesOptions ? ["prismaQueryOptions"] : [])] : [];
  for (const { name, segments } of terms) {
    if (segments.length === 1 && taken.includes(segments[0] ?? "")) continue;
    const hint = isRead ? "it takes fields and include" : "it takes none";
    faults.add(name, "UnknownParameter", `This path takes no parameter ${name}; ${hint}.`);
  }
  const { values } = splitParameters(terms, faults, takesOptions);
  const fields = readFields(isRead ? values.fields : undefined, resource, resource.shown.findOne, faults);
  const include = isRead ? values.include : undefined;
  const select = readInclude(include, fields, resource, {
    resources,
    limits: context.include,
    faults,
    relations: isRead ? resource.shown.findOne.relations : undefined,
  });
  const own =
    values.prismaQueryOptions === undefined || !takesOptions
      ? undefined
      : readPrismaOptions(values.prismaQueryOptions, select, resource.shown.findOne, resource, false, {
          resources,
          limits,
          include: context.include,
          faults,
          isGuarded: context.isGuarded,
          terms: { count: 0 },
        });
  faults.check();
  return own?.select ?? select;
}
