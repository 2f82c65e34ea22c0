import type { DocumentObject, RouteDocumentation } from "@servicekit/router";

const text = { type: "string" } as const;
const textOrNull = { type: ["string", "null"] } as const;
const flag = { type: "boolean" } as const;
const allowed = { ...flag, description: "Whether the caller may use it. Only with authentication." } as const;

const object = (
  properties: Readonly<Record<string, DocumentObject>>,
  optional: readonly string[] = [],
): DocumentObject => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

const list = (items: DocumentObject): DocumentObject => ({ type: "array", items });

function describe(name: string, summary: string, component: string, schema: DocumentObject): RouteDocumentation {
  return {
    summary,
    description: `For clients that adapt to the caller's permissions: \`allowed\` is whether the caller may use it.`,
    tags: ["Discovery"],
    responses: {
      "200": {
        description: summary,
        content: {
          "application/json": {
            schema: object({ data: list({ $ref: `#/components/schemas/${component}` }) }),
          },
        },
      },
    },
    components: { [component]: { ...schema, description: `An entry of ${name}.` } },
  };
}

/** The API documentation of `GET /available-routes`. */
export const availableRoutesDocumentation: RouteDocumentation = describe(
  "available-routes",
  "Every route of this API.",
  "AvailableRoute",
  object(
    {
      method: text,
      path: text,
      resource: textOrNull,
      operation: textOrNull,
      authentication: {
        anyOf: [{ type: ["boolean", "null"] }, object({ resource: text, action: text })],
        description: "False for everyone, true for any signed-in user, or the required permission.",
      },
      description: textOrNull,
      idempotency: {
        const: true,
        description: "Present when requests with an `Idempotency-Key` are executed once.",
      },
      allowed,
    },
    ["idempotency", "allowed"],
  ),
);

const field = object(
  {
    ...{ name: text, type: text, required: flag, unique: flag, list: flag, relation: text },
    references: {
      type: "object",
      description: "The foreign keys of a relation, each with the field that it references.",
      additionalProperties: text,
    },
    opposite: { ...text, description: "The opposite relation." },
    values: list(text),
    computed: { const: true, description: "Computed from other fields." },
    queryable: { const: true, description: "Queries may filter and sort by the computed field." },
  },
  ["relation", "references", "opposite", "values", "computed", "queryable"],
);
const access = {
  ...object({ open: flag, roles: list(text), rows: flag }),
  description: "Who may use it, by the configuration: everyone, these roles, or by a row rule. Only for superusers.",
};
const operation = object({ name: text, method: text, path: text, allowed, access }, ["allowed", "access"]);

/** The API documentation of `GET /available-resources`. */
export const availableResourcesDocumentation: RouteDocumentation = describe(
  "available-resources",
  "Every resource of this API, with its fields and operations.",
  "AvailableResource",
  object(
    {
      ...{ name: text, path: text },
      key: { ...list(text), description: "The fields that make up `:id`, in this order." },
      ...{ fields: list(field), operations: list(operation), allowed },
      count: {
        enum: ["estimated", "limited"],
        description: "How lists count their rows by default; absent if exactly.",
      },
    },
    ["allowed", "count"],
  ),
);

/** The API documentation of `GET /auth-actions`. */
export const authActionsDocumentation: RouteDocumentation = describe(
  "auth-actions",
  "Every permission that the routes of this API require.",
  "AuthAction",
  object({ resource: text, action: text, name: textOrNull, description: textOrNull }),
);
