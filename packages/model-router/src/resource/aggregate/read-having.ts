import type { StoredField } from "@servicekit/prisma";
import {
  type AggregateFunction,
  aggregateFunctions,
  type Filter,
  type Measure,
  measureOperators,
  measuresOf,
} from "@servicekit/prisma/internal";
import { type readTerms, readTree } from "@servicekit/query-parser/internal";
import type { QueryIssues } from "../filter/query-issues.js";
import { type FilterContext, readFilter } from "../filter/read-filter.js";
import type { Resource } from "../resource.js";
import { findMeasure } from "./read-measures.js";

type Term = ReturnType<typeof readTerms>[number];

/** A condition on measures, and the measures that it compares. */
export interface Having {
  readonly filter: Filter | undefined;
  readonly measures: readonly Measure[];
}

/** Whether a term is a condition on a measure. */
export const isHaving = ({ segments }: Term): boolean => segments.length > 1 && segments[0] === "having";

/** Reads `having[count][gt]=5&having[sum][total][lt]=100`, with the groups of filters; errors are added to the context. */
export function readHaving(terms: readonly Term[], resource: Resource, context: FilterContext): Having {
  if (terms.length === 0) return { filter: undefined, measures: [] };
  const used = new Map<string, Measure>();
  const named = terms.flatMap((term) => withMeasure(term, resource, context.issues, used) ?? []);
  const { root } = readTree(named, { limits: context.limits, parameters: new Set() });
  return { filter: readFilter(root, measured(resource, used), context), measures: [...used.values()] };
}

/** The term with the measure as one segment: `sum.total` for `[sum][total]`. */
function withMeasure(
  term: Term,
  resource: Resource,
  issues: QueryIssues,
  used: Map<string, Measure>,
): Term | undefined {
  const segments = term.segments.slice(1);
  const at = segments.findIndex((segment) => !/^(and|or|not|\d+)$/.test(segment));
  const [word = "", name] = segments[at]?.split(".") ?? [];
  const isJoined = name !== undefined || word === "count";
  const field = name ?? segments[at + 1] ?? "";
  const { name: parameter } = term;
  if (isFunction(word) && field === "") {
    issues.add(
      parameter,
      "InvalidValue",
      `${parameter} requires a field and a condition, such as having[${word}][…][gt].`,
    );
    return undefined;
  }
  const measure =
    word === "count"
      ? measuresOf(resource.listed).get(word)
      : isFunction(word)
        ? findMeasure(word, field, resource, { parameter, issues })
        : undefined;
  if (measure === undefined) {
    if (!isFunction(word)) {
      const expected = ["count", ...aggregateFunctions].join(", ");
      issues.add(
        parameter,
        "UnknownField",
        `having has no measure ${JSON.stringify(word)}; expected one of ${expected}.`,
      );
    }
    return undefined;
  }
  used.set(measure.name, measure);
  const rest = segments.slice(at + (isJoined ? 1 : 2));
  return { ...term, segments: [...segments.slice(0, at), measure.name, ...rest] };
}

const isFunction = (word: string): word is AggregateFunction =>
  (aggregateFunctions as readonly string[]).includes(word);

/** PostgreSQL counts in 64 bits, also rows whose number is a JSON number. */
const comparedField = ({ function: word, field }: Measure): StoredField =>
  (word === "count" || word === "countDistinct") && field.kind === "scalar" ? { ...field, type: "BigInt" } : field;

/** A resource whose fields are measures. */
const measured = (resource: Resource, measures: ReadonlyMap<string, Measure>): Resource => {
  const fields = new Map([...measures].map(([name, measure]) => [name, comparedField(measure)]));
  const operators = new Map([...measures].map(([name, measure]) => [name, measureOperators(measure)]));
  return { ...resource, fields, listed: fields, queryable: fields, relations: new Map(), operators };
};
