import type { StoredField } from "@servicekit/prisma";
import { listParameters } from "@servicekit/query-parser/internal";
import type { DocumentObject } from "@servicekit/router";
import { maxCountedRows, waysToCount } from "../resource/config/counting.js";
import type { Resource } from "../resource/resource.js";
import { reference } from "./component-names.js";
import type { DocumentationSettings } from "./documentation-settings.js";
import { filterDocument, operandDocument } from "./filter-document.js";

/** The options of the parameters. */
interface ParameterSettings extends Pick<DocumentationSettings, "include" | "query"> {
  /** The named filter schemas so far. */
  readonly filters: Map<string, DocumentObject>;
}

/** Every parameter of a list, each with its own input field (contract C8, C18). */
export function listParameterDocuments(resource: Resource, settings: ParameterSettings): readonly DocumentObject[] {
  const { page } = resource;
  return [
    text(
      "sort",
      `Up to ${settings.query.sortKeys} fields. Prefix with \`-\` for descending order${suchAs(sortOf(resource))}.`,
    ),
    // Documentation pages prefill and send a `default`, so the text contains it.
    number("page", "Page number, starting at 1.", { minimum: 1 }),
    number("limit", `Page size. Default: ${page.default}.`, { minimum: 1, maximum: page.max }),
    text(
      "cursor",
      `The \`nextCursor\` of the previous page; empty for the first page.${resource.search === undefined ? "" : " With `search` it requires `sort`."}`,
    ),
    ...readParameterDocuments(resource, settings),
    ...searchDocuments(resource),
    ...highlightDocuments(resource),
    {
      name: "count",
      in: "query",
      description: `How rows are counted. \`false\` omits the total, \`estimated\` is the estimate of the database, \`limited\` counts up to ${maxCountedRows} rows. Default: \`${resource.counting}\`.`,
      // Pages that send requests would fill in the first value of an enumeration.
      schema: { anyOf: [{ type: "boolean" }, { type: "string", enum: waysToCount }] },
    },
    ...filterDocuments(resource, settings.filters).parameters,
  ];
}

/** The parameters that select the fields of a row. */
export function readParameterDocuments(
  { relations }: Resource,
  { include }: Pick<DocumentationSettings, "include">,
): readonly DocumentObject[] {
  return [
    text("fields", "The fields to return, separated by commas, or the fields to exclude, each prefixed with `-`."),
    ...(relations.size === 0
      ? []
      : [
          text(
            "include",
            `Relations to include, up to ${include.depth} levels deep (\`a.b\`) and ${include.rows} rows per list: ${[...relations.keys()].join(", ")}.`,
          ),
        ]),
  ];
}

/** The parameter `search`, if the model has fields for it. */
export function searchDocuments({ searchable, search }: Resource): readonly DocumentObject[] {
  if (searchable.length === 0) return [];
  const names = searchable.map(({ name }) => name).join(", ");
  switch (search?.mode) {
    case "fullText":
      return [
        text(
          "search",
          `Words to search for in ${names}, in any of their forms. \`"two words"\` is a phrase, \`or\` an alternative, and \`-word\` excludes a word. Lists without \`sort\` have the best rows first.`,
        ),
      ];
    case "similarity":
      return [
        text(
          "search",
          `Words to search for in ${names}, also in similar spellings. Lists without \`sort\` have the most similar rows first.`,
        ),
      ];
    default:
      return [text("search", `Words to search for in ${names}, case-insensitive.`)];
  }
}

const highlightDocuments = ({ search }: Resource): readonly DocumentObject[] =>
  search?.mode !== "fullText" || search.fields.length === 0
    ? []
    : [
        {
          name: "highlight",
          in: "query",
          description: "`true` adds excerpts with the words of `search` to `meta.highlights`.",
          schema: { type: "boolean" },
        },
      ];

/** The filters of a model: their parameters, and the named schemas that these reference. */
export interface FilterDocuments {
  readonly parameters: readonly DocumentObject[];
  readonly components: Readonly<Record<string, DocumentObject>>;
}

/**
 * One parameter for each field in queries, with all its operators (contract C65).
 *
 * @param others the names of the route's parameters that are not filters
 */
export function filterDocuments(
  resource: Resource,
  known: Map<string, DocumentObject>,
  others: ReadonlySet<string> = listParameters,
): FilterDocuments {
  const components: Record<string, DocumentObject> = {};
  const parameters = [...resource.queryable.values()].flatMap((field): readonly DocumentObject[] => {
    const operators = resource.operators.get(field.name) ?? [];
    if (operators.length === 0) return [];
    // The name alone is that of a list parameter: only with an operator is it a filter (contract C8).
    if (others.has(field.name)) return operators.map((operator) => single(operator, field));
    const { name, schema } = filterDocument(field, operators, known);
    components[name] = schema;
    return [{ name: field.name, in: "query", style: "deepObject", explode: true, schema: reference(name) }];
  });
  return { parameters, components };
}

function single(operator: string, field: StoredField): DocumentObject {
  const { description, ...schema } = operandDocument(operator, field);
  return { name: `${field.name}[${operator}]`, in: "query", description: `\`${field.name}\` ${description}`, schema };
}

export const text = (name: string, description: string): DocumentObject => ({
  name,
  in: "query",
  description,
  schema: { type: "string" },
});

// In the text, because an `example` would be prefilled and sent.
const suchAs = (example: string): string => (example === "" ? "" : `, such as \`${example}\``);

export const number = (name: string, description: string, bounds: DocumentObject): DocumentObject => ({
  name,
  in: "query",
  description,
  schema: { type: "integer", ...bounds },
});

function sortOf({ keyOrder }: Resource): string {
  const [first] = keyOrder.flatMap((key) => Object.keys(key));
  return first === undefined ? "" : `-${first}`;
}
