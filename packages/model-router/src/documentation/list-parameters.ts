import type { StoredField } from "@servicekit/orm";
import { isOperator, operators } from "@servicekit/query-parser";
import type { Resource } from "@servicekit/resource";
import type { DocumentObject } from "@servicekit/router";
import type { ModelRouterSettings } from "../settings.js";
import { valueDocument } from "./field-document.js";

/** Every parameter of a list, each a field of its own for a person to fill in (contract C8, C18). */
export function listParameterDocuments(
  resource: Resource,
  settings: Pick<ModelRouterSettings, "include" | "query" | "parseDoubleUnderscore">,
): readonly DocumentObject[] {
  const { page, searchable } = resource;
  return [
    text(
      "sort",
      `Up to ${settings.query.sortKeys} fields, each with \`-\` before it for the other way round${suchAs(sortOf(resource))}.`,
    ),
    number("page", "The page, from 1.", { minimum: 1 }),
    number("limit", "Rows of a page.", { minimum: 1, maximum: page.max, default: page.default }),
    text("cursor", "The `nextCursor` of the page before; empty for the first page."),
    ...readParameterDocuments(resource, settings),
    ...(searchable.length === 0
      ? []
      : [text("search", `Words to look for in ${searchable.map(({ name }) => name).join(", ")}, in any letter case.`)]),
    {
      name: "count",
      in: "query",
      description: "`false` leaves out the total.",
      schema: { type: "boolean", default: true },
    },
    ...filterDocuments(resource, settings.parseDoubleUnderscore),
  ];
}

/** The parameters that choose what of a row is shown. */
export function readParameterDocuments(
  { fields, relations }: Resource,
  { include }: Pick<ModelRouterSettings, "include">,
): readonly DocumentObject[] {
  const names = [...fields.keys()];
  return [
    text(
      "fields",
      `The fields to show${suchAs(names.slice(0, 2).join(","))}, or those to leave out with \`-\` before each.`,
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

/** A parameter for each operator of each field. */
export function filterDocuments(resource: Resource, underscores: boolean): readonly DocumentObject[] {
  return [...resource.fields.values()].flatMap((field) =>
    (resource.operators.get(field.name) ?? []).map((operator) => ({
      name: parameterName(field.name, operator, underscores),
      in: "query",
      description: wordsOf(operator, field.name),
      ...operand(operator, field),
    })),
  );
}

function parameterName(field: string, operator: string, underscores: boolean): string {
  if (operator === "equals")
    return reserved.has(field) ? (underscores ? `${field}__equals` : `${field}[equals]`) : field;
  return underscores ? `${field}__${operator}` : `${field}[${operator}]`;
}

/** Fields that bear a parameter's name are filtered as `limit__equals` (contract C8). */
const reserved = new Set(["sort", "page", "limit", "cursor", "fields", "include", "search", "count"]);
function operand(name: string, field: StoredField): DocumentObject {
  const operator = isOperator(name) ? operators[name] : undefined;
  if (operator?.operands === "boolean") return { schema: { type: "boolean" } };
  // The whole of a text is compared as a value of the field is.
  if (operator?.text === true && operator.base !== "equals") return { schema: { type: "string" } };
  const value = valueDocument(field, "answer");
  if (operator?.operands !== "list" && !(field.isList && name === "equals")) return { schema: value };
  return { schema: { type: "array", items: value }, style: "form", explode: false };
}

const wordsOf = (operator: string, field: string): string =>
  `\`${field}\` ${isOperator(operator) ? operators[operator].words : operator}.`;

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
