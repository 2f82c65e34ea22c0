import type { ModelConfig } from "@servicekit/model-router";
import { callerOf } from "@servicekit/router";
import type { ServiceInitConfig } from "@servicekit/service";
import type { Request, RequestHandler } from "express";
import { z } from "zod";

export type ModelConfigs = NonNullable<ServiceInitConfig["models"]>;
type Operations = "findMany" | "findOne" | "createOne" | "createMany" | "updateOne" | "updateMany" | "deleteOne";

/** Who views, creates, updates and deletes: roles, or `false` for everyone. */
export interface Rights {
  readonly View?: false | readonly string[];
  readonly Create?: false | readonly string[];
  readonly Update?: false | readonly string[];
  readonly Delete?: false | readonly string[];
}

const all = ["viewer", "editor", "admin", "owner"];
const makers = ["editor", "admin"];

/** The permissions of each role, for both modes: as rules of the configuration, and as rows of `AuthPermission`. */
export const rights: Readonly<Record<string, Rights>> = {
  User: { View: ["admin"], Create: ["admin"], Update: ["admin"], Delete: ["admin"] },
  Profile: { View: all, Create: ["admin"], Update: ["owner", "admin"], Delete: ["admin"] },
  Team: { View: ["editor", "admin", "owner"], Create: ["admin"], Update: makers, Delete: ["admin"] },
  Membership: { View: ["editor", "admin", "owner"], Create: ["admin"], Update: ["admin"], Delete: ["admin"] },
  Project: { View: all, Create: [...makers, "owner"], Update: [...makers, "owner"], Delete: ["admin"] },
  Task: { View: all, Create: makers, Update: makers, Delete: ["admin"] },
  Tag: { View: false, Create: makers, Update: ["admin"], Delete: ["admin"] },
  Detail: { View: all, Create: ["admin"], Update: makers, Delete: ["admin"] },
  Invoice: { View: ["editor", "admin", "owner"], Create: ["admin"], Update: ["admin"], Delete: ["admin"] },
  Sprint: { Create: ["editor"], Update: ["editor", "owner"] },
  Notice: { View: false, Create: makers, Update: makers, Delete: ["admin"] },
  Entry: { View: ["viewer", "editor", "admin"], Create: makers, Update: makers, Delete: makers },
  Document: { View: all, Create: makers, Update: makers, Delete: makers },
  Asset: { View: false, Create: false, Update: false, Delete: false },
};

const actions: Readonly<Record<keyof Rights, readonly (Operations | "deleteMany")[]>> = {
  View: ["findMany", "findOne"],
  Create: ["createOne", "createMany"],
  Update: ["updateOne", "updateMany"],
  Delete: ["deleteOne", "deleteMany"],
};

/** The `auth` configuration for these permissions. */
export const ruled = (given: Rights = {}): Record<string, false | readonly string[]> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([action, roles]) =>
      actions[action as keyof Rights].map((operation) => [operation, roles]),
    ),
  );

/** Owners reach their own rows, everyone else all rows. */
export const ownRows = (rowsOf: (id: unknown) => Record<string, unknown>) => (request: Request) => {
  const caller = callerOf(request);
  return caller?.roles.includes("owner") === true ? rowsOf(caller.id) : true;
};

const closed = { findMany: false, findOne: false, createOne: false, createMany: false } as const;
const closedWrites = { updateOne: false, updateMany: false, deleteOne: false, deleteMany: false } as const;

/** Sets `mark` in every row that a body writes, and preserves locked ones. */
const markEntries: RequestHandler = (request, _response, next) => {
  for (const row of [request.body].flat()) row.mark = "hooked";
  next();
};
const storeEntries: RequestHandler = (_request, response, next) => {
  response.setHeader("x-checked", "yes");
  next();
};

const teamFields = ["id", "tenantId", "name", "parentId", "parent", "children", "memberships", "projects"];

const title = z
  .string()
  .min(3)
  .max(40)
  .transform((text) => text.toUpperCase());

const ownProfile = { rule: rights.Profile?.Update || [], where: ownRows((userId) => ({ userId })) };

const configs: Readonly<Record<string, ModelConfig>> = {
  User: { writable: ["profile", "tasks", "memberships", "projects"] },
  Profile: {
    writable: ["user"],
    auth: { updateOne: ownProfile, updateMany: ownProfile },
  },
  Team: {
    writable: ["memberships", "projects", "children", "parent"],
    auth: { fields: { "*": teamFields, admin: ["budget"] } },
    // Only those who see the budget see what is computed from it.
    computed: {
      heading: { type: z.string(), needs: ["name"], compute: ({ name }) => `Team ${name}` },
      worth: { type: z.string(), needs: ["name", "budget"], compute: ({ name, budget }) => `${name}: ${budget}` },
    },
  },
  Membership: { writable: ["team", "user"] },
  Project: {
    writable: [
      ...["tasks", "tags", "detail", "invoices", "stamps", "sprints"],
      ...["documents", "assets", "team", "owner"],
    ],
    auth: { where: ownRows((ownerId) => ({ ownerId })) },
    uploads: {
      createOne: { type: "single", field: "photo", attachToBody: false },
      updateOne: { type: "single", field: "photo", attachToBody: false },
    },
  },
  Task: { writable: ["project", "sprint"], auth: { where: ownRows((ownerId) => ({ project: { is: { ownerId } } })) } },
  Tag: { writable: ["projects", "notices"] },
  Detail: { writable: ["project"] },
  Invoice: { writable: ["project"], auth: { where: ownRows((ownerId) => ({ project: { is: { ownerId } } })) } },
  Stamp: { operations: { ...closed, ...closedWrites } },
  Sprint: { writable: ["tasks", "project"] },
  Notice: {
    writable: ["tag"],
    schemas: {
      create: z.strictObject({ title, source: z.string().optional(), tagId: z.number().optional() }),
      update: z.strictObject({ title: title.optional(), tagId: z.number().nullable().optional() }),
    },
  },
  Entry: {
    hooks: {
      beforeCreateOne: markEntries,
      beforeCreateMany: markEntries,
      beforeUpdateOne: markEntries,
      beforeUpdateMany: markEntries,
      beforeDeleteOne: storeEntries,
      beforeDeleteMany: storeEntries,
    },
  },
  Document: {
    writable: ["project"],
    query: {
      findMany: { where: { isPublished: true }, omit: { draft: true } },
      findOne: { where: { isPublished: true }, omit: { draft: true } },
    },
  },
  Asset: { writable: ["project"] },
};

/** The configuration besides the permissions of roles. */
export const workshopConfigs = configs;

/** The configuration of the workshop's models. */
export const workshopModels: ModelConfigs = Object.fromEntries(
  Object.keys({ ...rights, ...configs }).map((name) => {
    const { auth = {}, ...config } = configs[name] ?? {};
    return [name, { ...config, auth: { ...ruled(rights[name]), ...auth } } as ModelConfig];
  }),
);
