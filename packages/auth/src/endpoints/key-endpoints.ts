import { httpErrors, type ValidationIssue } from "@servicekit/core";
import { nearestWord } from "@servicekit/core/internal";
import { isPlainText, plainTextRule } from "@servicekit/prisma/internal";
import type { Request } from "express";
import { z } from "zod";
import { readPermission, writePermission } from "../authentication/api-key-kind.js";
import type { AuthMode } from "../configuration/auth-config.js";
import { isApiKeyId } from "../credentials/api-key.js";
import { type ApiKeys, isAddressRange } from "../credentials/api-keys.js";
import { longestKeyName } from "../credentials/key-model.js";
import { type KeyTerms, type ShownKey } from "../credentials/key-rows.js";
import type { Permission, UserRecord } from "../users/user-store.js";
import { accountOf, bodyOf, type Endpoint, type EndpointContext, localsOf } from "./endpoint.js";

/** How long the previous secret stays valid after a rotation, in seconds. */
const defaultOverlap = 86_400;
const longestOverlap = 7 * 86_400;

const text = z.string().refine(isPlainText, plainTextRule);
const name = text.trim().min(1).max(longestKeyName);
const word = text.min(1).max(80);
const list = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(50);

const common = {
  name,
  addresses: list(
    z.string().refine(isAddressRange, "Expected an IP address, or a network such as 10.0.0.0/8."),
  ).optional(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
};

/** A key has a subset of the owner's roles, or of the owner's permissions if these are stored. */
const createSchemas = {
  static: z.strictObject({ ...common, roles: list(word).optional() }),
  dynamic: z.strictObject({
    ...common,
    permissions: list(z.strictObject({ resource: word, action: word })).optional(),
  }),
} satisfies Record<AuthMode, z.ZodType>;

/**
 * The endpoints of API keys; none if the schema has no model for them. A key itself cannot use them.
 *
 * @param knownRoles the values of the role's enum, if it is one
 */
export function keyEndpoints(context: EndpointContext, knownRoles: readonly string[] | undefined): readonly Endpoint[] {
  const { keys } = context;
  if (keys === undefined) return [];
  return [
    listEndpoint(context, keys),
    createEndpoint(context, keys, knownRoles),
    renameEndpoint(context, keys),
    rotateEndpoint(context, keys),
    deleteEndpoint(context, keys),
  ];
}

type Keys = ApiKeys<UserRecord>;

const notFound = { status: 404, code: "NotFound", description: "The key does not exist." } as const;

function listEndpoint(context: EndpointContext, keys: Keys): Endpoint {
  return {
    method: "get",
    path: "/auth/keys",
    operation: "listKeys",
    authentication: true,
    body: false,
    status: 200,
    response: { ...keyResponse("The keys, at most 100."), isList: true },
    async run(request, response) {
      const { id } = accountOf(request, context).record;
      localsOf(response).response = (await keys.list(id)).map(toResponse);
    },
    documentation: {
      summary: "List my API keys",
      description: "Sorted by creation time, newest first. Secrets are never included.",
    },
  };
}

/** `POST /auth/keys`: the only response that ever contains the key. */
function createEndpoint(context: EndpointContext, keys: Keys, knownRoles: readonly string[] | undefined): Endpoint {
  return {
    method: "post",
    path: "/auth/keys",
    operation: "createKey",
    authentication: true,
    body: createSchemas[context.settings.mode],
    status: 201,
    response: madeResponse("The key with its secret. The secret is shown only once."),
    async run(request, response) {
      const { record } = accountOf(request, context);
      const { key, text } = await keys.create(record.id, readTerms(request, record, knownRoles));
      localsOf(response).response = { ...toResponse(key), key: text };
    },
    documentation: {
      summary: "Create an API key",
      description:
        "Send it as `X-API-Key` or as `Authorization: Bearer`. It has the permissions of its owner, or fewer: some of the roles or permissions, from certain addresses, until a time.",
    },
  };
}

function readTerms(request: Request, record: UserRecord, knownRoles: readonly string[] | undefined): KeyTerms {
  const {
    name: given,
    roles = [],
    permissions = [],
    addresses = [],
    expiresAt,
  } = bodyOf(request) as {
    readonly name: string;
    readonly roles?: readonly string[];
    readonly permissions?: readonly Permission[];
    readonly addresses?: readonly string[];
    readonly expiresAt?: string;
  };
  const issues: ValidationIssue[] = [];
  const reject = (path: string, message: string): void => {
    issues.push({ in: "body", path, code: "InvalidValue", message });
  };
  const own = new Set(record.permissions.map(writePermission));
  for (const [index, role] of roles.entries()) {
    const path = `/roles/${index}`;
    if (!record.isSuperUser && !record.roles.includes(role)) reject(path, "You do not have this role.");
    else if (knownRoles?.includes(role) === false) reject(path, unknownRole(role, knownRoles));
  }
  for (const [index, one] of permissions.entries()) {
    if (!record.isSuperUser && !own.has(writePermission(one)))
      reject(`/permissions/${index}`, "You do not have this permission.");
  }
  const ends = expiresAt === undefined ? null : new Date(expiresAt);
  if (ends !== null && ends.getTime() <= Date.now()) reject("/expiresAt", "Expected a time in the future.");
  if (issues.length > 0) throw httpErrors.ValidationError(undefined, { errors: issues });
  return { name: given, roles, permissions: permissions.map(writePermission), addresses, expiresAt: ends };
}

function unknownRole(role: string, known: readonly string[]): string {
  const near = nearestWord(role, known);
  return `Unknown role.${near === undefined ? ` Expected one of ${known.join(", ")}.` : ` Did you mean ${near}?`}`;
}

function renameEndpoint(context: EndpointContext, keys: Keys): Endpoint {
  return {
    method: "patch",
    path: "/auth/keys/:id",
    operation: "renameKey",
    authentication: true,
    body: z.strictObject({ name }),
    status: 200,
    response: keyResponse("The key."),
    async run(request, response) {
      const { id } = accountOf(request, context).record;
      const renamed = await keys.rename(idOf(request), id, String(bodyOf(request).name));
      if (renamed === undefined) throw httpErrors.NotFound();
      localsOf(response).response = toResponse(renamed);
    },
    documentation: { summary: "Rename an API key", description: "Changes nothing but the name.", errors: [notFound] },
  };
}

function rotateEndpoint(context: EndpointContext, keys: Keys): Endpoint {
  return {
    method: "post",
    path: "/auth/keys/:id/rotate",
    operation: "rotateKey",
    authentication: true,
    body: z.strictObject({ overlapSeconds: z.int().min(0).max(longestOverlap).optional() }).optional(),
    status: 200,
    response: madeResponse("The key with its new secret. The secret is shown only once."),
    async run(request, response) {
      const { id } = accountOf(request, context).record;
      const { overlapSeconds = defaultOverlap } = bodyOf(request);
      const made = await keys.rotate(idOf(request), id, Number(overlapSeconds));
      if (made === undefined) throw httpErrors.NotFound();
      localsOf(response).response = { ...toResponse(made.key), key: made.text };
    },
    documentation: {
      summary: "Rotate an API key",
      description: "The previous secret stays valid for `overlapSeconds`. Default: one day. Maximum: one week.",
      errors: [notFound, { status: 409, code: "Conflict", description: "Another request has just rotated the key." }],
    },
  };
}

function deleteEndpoint(context: EndpointContext, keys: Keys): Endpoint {
  return {
    method: "delete",
    path: "/auth/keys/:id",
    operation: "deleteKey",
    authentication: true,
    body: false,
    status: 204,
    async run(request) {
      const { id } = accountOf(request, context).record;
      if (!(await keys.remove(idOf(request), id))) throw httpErrors.NotFound();
    },
    documentation: {
      summary: "Delete an API key",
      description: "The key is rejected from now on.",
      errors: [notFound],
    },
  };
}

/** An invalid id is an unknown one. */
function idOf(request: Request): string {
  const id = String(request.params.id);
  if (!isApiKeyId(id)) throw httpErrors.NotFound();
  return id;
}

const toResponse = ({ permissions, ...key }: ShownKey) => ({ ...key, permissions: permissions.map(readPermission) });

const date = { type: "string", format: "date-time" };
const mayMiss = { anyOf: [date, { type: "null" }] };
const strings = { type: "array", items: { type: "string" } };
const permission = {
  type: "object",
  properties: { resource: { type: "string" }, action: { type: "string" } },
  required: ["resource", "action"],
};
const properties = {
  id: { type: "string" },
  name: { type: "string" },
  roles: { ...strings, description: "The roles of the key, a subset of its owner's. Empty for all." },
  permissions: {
    type: "array",
    items: permission,
    description: "The permissions of the key, a subset of its owner's. Empty for all.",
  },
  addresses: { ...strings, description: "The addresses that may use the key. Empty for all." },
  createdAt: date,
  expiresAt: mayMiss,
  lastUsedAt: { ...mayMiss, description: "The time of the last use, rounded to the minute." },
};

const keyResponse = (description: string) => ({
  description,
  component: "AuthKeyInfo",
  schema: { type: "object", properties, required: Object.keys(properties) },
});

const madeResponse = (description: string) => ({
  description,
  component: "MadeAuthKey",
  schema: {
    type: "object",
    properties: { ...properties, key: { type: "string", description: "`svk_<environment>_<id>_<secret>`." } },
    required: [...Object.keys(properties), "key"],
  },
});
