import type { StoredField } from "@servicekit/prisma";
import type { DocumentObject, RouteDocumentation } from "@servicekit/router";
import { type UserModel, visibleFields } from "../users/user-model.js";
import type { Endpoint, EndpointResponse } from "./endpoint.js";

const componentName = "CurrentUser";

/** The API documentation of an endpoint; the request body is in its `validation`. */
export function endpointDocumentation(
  endpoint: Endpoint,
  user: UserModel | undefined,
  { showsToken, hasSessions }: ShownTokens,
): RouteDocumentation {
  const { status, documentation, givesToken, response: own } = endpoint;
  if (own !== undefined) {
    return {
      ...documentation,
      tags: ["Authentication"],
      responses: { [status]: ownResponse(own) },
      components: { [own.component]: own.schema },
    };
  }
  return {
    ...documentation,
    tags: ["Authentication"],
    responses: { [status]: response(status, givesToken === true, { showsToken, hasSessions }) },
    ...(status === 204 ? {} : { components: { [componentName]: userSchema(user) } }),
  };
}

/** The tokens in the response of a sign-in. */
export interface ShownTokens {
  readonly showsToken: boolean;
  readonly hasSessions: boolean;
}

function ownResponse({ description, component, isList }: EndpointResponse): DocumentObject {
  const one = { $ref: `#/components/schemas/${component}` };
  const data = isList === true ? { type: "array", items: one } : one;
  const schema = { type: "object", properties: { data }, required: ["data"] };
  return { description, content: { "application/json": { schema } } };
}

function response(status: number, givesToken: boolean, { showsToken, hasSessions }: ShownTokens): DocumentObject {
  if (status === 204) return { description: "Done." };
  const properties: Record<string, unknown> = { data: { $ref: `#/components/schemas/${componentName}` } };
  if (givesToken && showsToken)
    properties.accessToken = { type: "string", description: "Send it as `Authorization: Bearer`." };
  if (givesToken) properties.expiresAt = { type: "string", format: "date-time" };
  const required = Object.keys(properties);
  // A second refresh a moment later may return no new token.
  if (givesToken && hasSessions) {
    if (showsToken)
      properties.refreshToken = { type: "string", description: "Send it to `/auth/refresh`. It can be used once." };
    properties.refreshExpiresAt = { type: "string", format: "date-time" };
  }
  const schema = { type: "object", properties, required };
  const description = givesToken ? "The user is signed in." : "The user.";
  return { description, content: { "application/json": { schema } } };
}

/** The user in responses: without hidden fields. */
function userSchema(user: UserModel | undefined): DocumentObject {
  if (user === undefined) return { type: "object" };
  const fields = visibleFields(user);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    required: fields.map(({ name }) => name),
  };
}

const schemaOfType: Readonly<Record<string, DocumentObject>> = {
  String: { type: "string" },
  Boolean: { type: "boolean" },
  Int: { type: "integer" },
  BigInt: { type: "string", pattern: "^-?\\d+$" },
  Float: { type: "number" },
  Decimal: { type: "string" },
  DateTime: { type: "string", format: "date-time" },
  Bytes: { type: "string", contentEncoding: "base64" },
  Json: {},
};

function fieldSchema(field: StoredField): DocumentObject {
  const single = field.kind === "enum" ? { type: "string", enum: field.values } : (schemaOfType[field.type] ?? {});
  const described = field.documentation === undefined ? {} : { description: field.documentation };
  if (field.isList) return { type: "array", items: single, ...described };
  if (field.isRequired || !("type" in single)) return { ...single, ...described };
  return { anyOf: [single, { type: "null" }], ...described };
}
