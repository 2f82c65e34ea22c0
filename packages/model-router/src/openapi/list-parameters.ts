import type { StoredField } from "@servicekit/prisma";
import { listParameters } from "@servicekit/query-parser/internal";
import type { DocumentObject } from "@servicekit/router";
import type { Resource } from "../resource/resource.js";
import { reference } from "./component-names.js";
import type { DocumentationSettings } from "./documentation-settings.js";
import { filterDocument, operandDocument } from "./filter-document.js";

/** What parameters are made with. */
interface ParameterSettings extends Pick<DocumentationSettings, "include" | "query"> {
  /** The named schemas of filters made so far. */
  readonly filters: Map<string, DocumentObject>;
}

/** Every parameter of a list, each a field of its own for a person to fill in (contract C8, C18). */
export function listParameterDocuments(resource: Resource, settings: ParameterSettings): readonly DocumentObject[] {
  const { page, searchable } = resource;
  return [
    text(
      "sort",
      `Up to ${settings.query.sortKeys} fields, each with \`-\` before it for the other way round${suchAs(sortOf(resource))}.`,
    ),
    // Pages fill a `default` in, and send it, where a person has not touched it: the words say it.
    number("page", "The page, from 1.", { minimum: 1 }),
    number("limit", `Rows of a page; ${page.default} where it is not said.`, { minimum: 1, maximum: page.max }),
    text("cursor", "The `nextCursor` of the page before; empty for the first page."),
    ...readParameterDocuments(resource, settings),
    ...(searchable.length === 0
      ? []
      : [text("search", `Words to look for in ${searchable.map(({ name }) => name).join(", ")}, in any letter case.`)]),
    {
      name: "count",
      in: "query",
      description: "`false` leaves out the total.",
      schema: { type: "boolean" },
    },
    ...filterDocuments(resource, settings.filters).parameters,
  ];
}

/** The parameters that choose what of a row is shown. */
export function readParameterDocuments(
  { relations }: Resource,
  { include }: Pick<DocumentationSettings, "include">,
): readonly DocumentObject[] {
  return [
    text(
      "fields",
      "The fields to show, joined by commas, or those to leave out with `-` before each; the answer has no others.",
    ),
    ...(relations.size === 0
      ? []
      : [
          text(
            "include",
            `Relations to show, at most ${include.depth} deep (\`a.b\`) and ${include.rows} rows of each list: ${[...relations.keys()].join(", ")}.`,
          ),
        ]),
  ];
}

/** The filters of a model: their parameters, and the named schemas that these refer to. */
export interface FilterDocuments {
  readonly parameters: readonly DocumentObject[];
  readonly components: Readonly<Record<string, DocumentObject>>;
}

/** One parameter for each field that queries may name, with all its operators (contract C65). */
export function filterDocuments(resource: Resource, known: Map<string, DocumentObject>): FilterDocuments {
  const components: Record<string, DocumentObject> = {};
  const parameters = [...resource.listed.values()].flatMap((field): readonly DocumentObject[] => {
    const operators = resource.operators.get(field.name) ?? [];
    if (operators.length === 0) return [];
    // The name alone is that of a parameter of lists: only with an operator does it filter (contract C8).
    if (listParameters.has(field.name)) return operators.map((operator) => single(operator, field));
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

const text = (name: string, description: string): DocumentObject => ({
  name,
  in: "query",
  description,
  schema: { type: "string" },
});

// In the words: an `example` would be filled in, and sent, where a person only wants to try the route.
const suchAs = (example: string): string => (example === "" ? "" : `, such as \`${example}\``);

const number = (name: string, description: string, bounds: DocumentObject): DocumentObject => ({
  name,
  in: "query",
  description,
  schema: { type: "integer", ...bounds },
});

function sortOf({ keyOrder }: Resource): string {
  const [first] = keyOrder.flatMap((key) => Object.keys(key));
  return first === undefined ? "" : `-${first}`;
}
