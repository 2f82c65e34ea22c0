import type { StoredField } from "@servicekit/prisma";
import {
  aggregateFunctions,
  dateParts,
  groupField,
  hasPeriods,
  isSortable,
  measureOperators,
  measuresOf,
} from "@servicekit/prisma/internal";
import type { DocumentObject, RouteDocumentation } from "@servicekit/router";
import { asListed } from "../resource/aggregate/as-listed.js";
import { aggregateParameterNames, groupLimit } from "../resource/aggregate/parameters.js";
import type { Resource, Resources } from "../resource/resource.js";
import { componentNames, reference } from "./component-names.js";
import { deletedParameterDocuments } from "./deleted-document.js";
import type { DocumentationSettings } from "./documentation-settings.js";
import { fieldDocument } from "./field-document.js";
import { valueExample } from "./field-example.js";
import { filterDocument } from "./filter-document.js";
import { filterDocuments, number, searchDocuments, text } from "./list-parameters.js";
import { etag, ifNoneMatch, link, notModified } from "./operation-documentation.js";
import { operationErrors } from "./operation-errors.js";
import { wordsOf } from "./words-of.js";

/** The context of the documentation of an aggregate. */
export interface AggregateDocumentationSource {
  readonly resources: Resources;
  readonly settings: DocumentationSettings;
  /** The named filter schemas so far. */
  readonly filters: Map<string, DocumentObject>;
}

/** The API documentation of `GET /<models>/aggregate` (contract C47). */
export function aggregateDocumentation(
  resource: Resource,
  { resources: all, settings, filters }: AggregateDocumentationSource,
): RouteDocumentation {
  const { model } = resource;
  const resources = asListed(all);
  const own = resources.get(model.name) ?? resource;
  const { aggregates } = componentNames(model.name);
  const filtered = filterDocuments(resource, filters, aggregateParameterNames);
  const having = havingDocuments(own, filters);
  const { many } = wordsOf(resource);
  return {
    summary: `Aggregate ${many}`,
    description: `Returns counts, sums and other values of groups of ${many}. It reads the rows that the list returns, with the same filters.`,
    tags: [model.name],
    parameters: [
      ...parametersOf(own, settings),
      ...deletedParameterDocuments("aggregate", resource),
      ...having.parameters,
      ...filtered.parameters,
      ifNoneMatch,
    ],
    responses: {
      200: {
        description: "The groups.",
        headers: { Link: link, ETag: etag },
        content: { "application/json": { schema: reference(aggregates) } },
      },
      304: notModified,
    },
    errors: operationErrors("findMany", { hasRowRule: false, takesDeleted: resource.deletedField !== undefined }),
    components: { ...filtered.components, ...having.components, ...componentsOf(own, resources) },
  };
}

const groupFields = ({ listed }: Resource): readonly StoredField[] => [...listed.values()].filter(isSortable);

/** Whether a field is neither an id nor a reference, so that it is a good example. */
const isPlain = ({ isId, isForeignKey }: StoredField): boolean => !isId && !isForeignKey;

function exampleGroup(resource: Resource): StoredField | undefined {
  const fields = groupFields(resource);
  return fields.find(({ kind }) => kind === "enum") ?? fields.find(isPlain) ?? fields[0];
}

/** The to-one relations of a model, with the related models. */
const toOne = ({ relations }: Resource, resources: Resources): readonly (readonly [name: string, of: Resource])[] =>
  [...relations.values()].flatMap(({ name, type, isList }) => {
    const related = isList ? undefined : resources.get(type);
    return related === undefined ? [] : [[name, related] as const];
  });

function parametersOf(resource: Resource, { query }: DocumentationSettings): readonly DocumentObject[] {
  const fields = groupFields(resource);
  const first = exampleGroup(resource);
  const dated = fields.find(hasPeriods);
  const measures = [...measuresOf(resource.listed).values()];
  const [relation] = [...resource.relations.values()].filter(({ isList }) => !isList);
  const parts =
    dated === undefined
      ? ""
      : ` A date is grouped by ${dateParts.map((part) => `\`:${part}\``).join(", ")}, such as \`${dated.name}:month\`.`;
  const through =
    relation === undefined ? "" : ` Fields of to-one relations have paths such as \`${relation.name}.id\`.`;
  return [
    text(
      "groupBy",
      `Up to ${query.sortKeys} values that rows are grouped by, separated by commas${first === undefined ? "" : `, such as \`${first.name}\``}. Without it, all rows are one group.${parts}${through}`,
    ),
    { name: "count", in: "query", description: "`true` returns the number of rows.", schema: { type: "boolean" } },
    ...aggregateFunctions.flatMap((word) => {
      const names = measures.flatMap((one) => (one.function === word && one.of !== undefined ? [one.of.name] : []));
      return names.length === 0 ? [] : [text(word, `${words[word]}, separated by commas: ${names.join(", ")}.`)];
    }),
    text(
      "sort",
      `Up to ${query.sortKeys} values of \`groupBy\` and measures, such as \`-count\`. Prefix with \`-\` for descending order, and append \`:nullsFirst\` or \`:nullsLast\` for the place of null.`,
    ),
    number("page", "Page number, starting at 1.", { minimum: 1 }),
    number("limit", `Page size. Default: ${groupLimit.default}.`, { minimum: 1, maximum: groupLimit.max }),
    ...(dated === undefined
      ? []
      : [text("timeZone", "The IANA name of the time zone of days and longer periods. Default: UTC.")]),
    ...searchDocuments(resource),
  ];
}

const words: Readonly<Record<(typeof aggregateFunctions)[number], string>> = {
  sum: "Fields to sum",
  avg: "Fields of which the average is returned",
  min: "Fields of which the minimum is returned",
  max: "Fields of which the maximum is returned",
  countDistinct: "Fields of which the number of different values is returned",
};

/** One parameter for each measure: OpenAPI defines no objects inside an object parameter. */
function havingDocuments(resource: Resource, filters: Map<string, DocumentObject>) {
  const components: Record<string, DocumentObject> = {};
  const parameters = [...measuresOf(resource.listed).values()].map((measure): DocumentObject => {
    const prefix = measure.of === undefined ? "" : "Measured";
    const { name, schema } = filterDocument(measure.field, measureOperators(measure), filters, prefix);
    components[name] = schema;
    const { function: word, of } = measure;
    return {
      ...{ name: of === undefined ? "having[count]" : `having[${word}][${of.name}]`, in: "query" },
      ...{ style: "deepObject", explode: true, schema: reference(name) },
      description:
        of === undefined
          ? "Conditions on the number of rows of a group."
          : `Conditions on \`${word}\` of \`${of.name}\` in a group.`,
    };
  });
  return { parameters, components };
}

/** A group, and a page of groups. */
function componentsOf(resource: Resource, resources: Resources): Readonly<Record<string, DocumentObject>> {
  const { model } = resource;
  const { aggregate, aggregates } = componentNames(model.name);
  const measures = [...measuresOf(resource.listed).values()];
  const results = aggregateFunctions.flatMap((word) => {
    const own = measures.flatMap(({ function: of, of: field, field: result }) =>
      of === word && field !== undefined ? [[field.name, fieldDocument(result, "response")] as const] : [],
    );
    return own.length === 0 ? [] : [[word, partial(Object.fromEntries(own))] as const];
  });
  const sums = measures.filter(({ function: word }) => word === "sum");
  const example = sums.find(({ of }) => of !== undefined && isPlain(of)) ?? sums[0];
  const field = exampleGroup(resource);
  return {
    [aggregate]: {
      ...partial({
        group: groupDocument(resource, resources),
        count: { type: "integer", minimum: 0, description: "The number of rows, with `count=true`." },
        ...Object.fromEntries(results),
      }),
      examples: [
        {
          ...(field === undefined ? {} : { group: { [field.name]: valueExample(field, model.name) } }),
          count: 3,
          ...(example?.of === undefined ? {} : { sum: { [example.of.name]: valueExample(example.field, model.name) } }),
        },
      ],
    },
    [aggregates]: {
      type: "object",
      properties: { data: { type: "array", items: reference(aggregate) }, meta: reference("AggregateMeta") },
      required: ["data", "meta"],
      additionalProperties: false,
    },
    AggregateMeta: {
      type: "object",
      properties: {
        count: { type: "integer", minimum: 0, description: "The number of groups on this page." },
        limit: { type: "integer", minimum: 1 },
        page: { type: "integer", minimum: 1 },
        hasMore: { type: "boolean", description: "Whether there is a next page." },
      },
      required: ["count", "limit", "page", "hasMore"],
      additionalProperties: false,
    },
  };
}

/** What a response contains depends on the request. */
const partial = (properties: Readonly<Record<string, DocumentObject>>): DocumentObject => ({
  ...{ type: "object", properties, additionalProperties: false },
});

/** The values of a group: fields, periods, and fields of related rows, those one relation away by name. */
function groupDocument(resource: Resource, resources: Resources): DocumentObject {
  const own = groupFields(resource);
  const periods = own.filter(hasPeriods).flatMap(({ name, isRequired }) => {
    const period = { type: isRequired ? "string" : ["string", "null"], format: "date" };
    return dateParts.map((part) => [`${name}:${part}`, period] as const);
  });
  const related = toOne(resource, resources).flatMap(([relation, target]) =>
    groupFields(target).map((field) => {
      const name = `${relation}.${field.name}`;
      return [name, fieldDocument(groupField(field, name, ""), "response")] as const;
    }),
  );
  const hasMore = toOne(resource, resources).some(([, target]) => toOne(target, resources).length > 0);
  return {
    type: "object",
    description:
      "The values of `groupBy`. That of a related row that does not exist, or that you may not read, is null.",
    properties: Object.fromEntries([
      ...own.map((field) => [field.name, withoutDescription(field)] as const),
      ...periods,
      ...related,
    ]),
    additionalProperties: hasMore,
  };
}

/** A value without the description of its field. */
function withoutDescription(field: StoredField): DocumentObject {
  const { description: _description, ...document } = fieldDocument(field, "response");
  return document;
}
