import type { DocumentObject, RouteDocumentation } from "@servicekit/router";

const text = { type: "string" } as const;
const textOrNull = { type: ["string", "null"] } as const;
const flag = { type: "boolean" } as const;
const allowed = { ...flag, description: "Whether the caller may use it; only where authentication is on." } as const;

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
    description: `For programs that find out what they may do: \`allowed\` says it of the caller, where there is one.`,
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

/** What the API documentation says of `GET /available-routes`. */
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
        description: "False for everyone, true for any signed-in user, or the right that it asks for.",
      },
      description: textOrNull,
      idempotency: {
        const: true,
        description: "There where a request with an `Idempotency-Key` is carried out once.",
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
      description: "The foreign keys of a relation, each with the field that it is equal to.",
      additionalProperties: text,
    },
    opposite: { ...text, description: "The relation at the other end." },
    values: list(text),
  },
  ["relation", "references", "opposite", "values"],
);
const access = {
  ...object({ open: flag, roles: list(text), rows: flag }),
  description: "Who may use it, by the configuration: everyone, these roles, by a row rule. Only for superusers.",
};
const operation = object({ name: text, method: text, path: text, allowed, access }, ["allowed", "access"]);

/** What the API documentation says of `GET /available-resources`. */
export const availableResourcesDocumentation: RouteDocumentation = describe(
  "available-resources",
  "Every resource of this API, with its fields and operations.",
  "AvailableResource",
  object(
    {
      ...{ name: text, path: text },
      key: { ...list(text), description: "The fields whose values `:id` stands for, in this order." },
      ...{ fields: list(field), operations: list(operation), allowed },
    },
    ["allowed"],
  ),
);

/** What the API documentation says of `GET /auth-actions`. */
export const authActionsDocumentation: RouteDocumentation = describe(
  "auth-actions",
  "Every right that routes of this API ask for.",
  "AuthAction",
  object({ resource: text, action: text, name: textOrNull, description: textOrNull }),
);
