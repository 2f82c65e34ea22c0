import type { PrismaClientLike } from "@servicekit/prisma";
import type { ErrorRequestHandler } from "express";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import {
  type ApiDocsConfig,
  type AuthConfig,
  type Caller,
  type ContextOf,
  type CreatedEvent,
  type Database,
  type DefinedModel,
  type DeletedEvent,
  defineConfig,
  defineJob,
  type ExternalCaller,
  type FieldName,
  type FileUploadConfig,
  type Identify,
  type IssuerClaims,
  type JobContext,
  type JobSender,
  type Mailer,
  type ModelConfig,
  type ModelName,
  type ModelTyping,
  type RequestHandler,
  type RoleName,
  type ServiceConfig,
  type ServiceContext,
  type ServiceInitConfig,
  ServiceRouter,
  type ServiceSettings,
  service,
  type TenantConfig,
  type TokenIssuer,
  type TypedModelConfig,
  type TypedModels,
  typedModels,
  type UpdatedEvent,
} from "../src/index.js";

declare const handler: RequestHandler;
declare const errorHandler: ErrorRequestHandler;

// C52: a file's form is an init form, too.
expectTypeOf<ServiceConfig>().toExtend<ServiceInitConfig>();
expectTypeOf(service.init).parameter(0).toEqualTypeOf<ServiceInitConfig | undefined>();

expectTypeOf<ServiceConfig["authentication"]>().toEqualTypeOf<AuthConfig | undefined>();
expectTypeOf<ServiceConfig["apidocs"]>().toEqualTypeOf<ApiDocsConfig | undefined>();
expectTypeOf<ServiceInitConfig["fileUpload"]>().toEqualTypeOf<FileUploadConfig | undefined>();
expectTypeOf<ServiceSettings["modulesDirectory"]>().toEqualTypeOf<
  Readonly<{ readonly path: string; readonly isConfigured: boolean }>
>();

defineConfig({
  authentication: { mode: "static", jwt: { cookie: { sameSite: "lax" } } },
  fileUpload: { serverStatic: { maxAge: "1d" }, restrictions: { images: { supportedFilesRegex: /png/ } } },
  apidocs: { mode: "orm", options: { definition: { info: { title: "Shop" } }, deepLinking: true, filter: true } },
  request: { parameters: { allowDangerousOrmQueryOptions: false } },
  modulesDirectory: "src/parts",
  limits: { body: "2mb" },
});

// @ts-expect-error mode is required in its block (C25)
defineConfig({ authentication: { enabled: true } });
// @ts-expect-error mode is required in its block
defineConfig({ apidocs: { strict: true } });
// @ts-expect-error the name of the init form
defineConfig({ fileUpload: { serverStaticOptions: {} } });
// @ts-expect-error unknown category
defineConfig({ fileUpload: { restrictions: { pictures: {} } } });
// @ts-expect-error unknown key
defineConfig({ request: { allowDangerousOrmQueryOptions: true } });

({ fileUpload: { serverStaticOptions: { etag: false } } }) satisfies ServiceInitConfig;

// Inline handlers are typed, also with strict.
({
  use: [
    (request, response, next) => {
      expectTypeOf(request.path).toEqualTypeOf<string>();
      expectTypeOf(response.json).toBeFunction();
      next();
    },
    (request) => void request.path,
    (error, request, _response, next) => {
      expectTypeOf(error).toBeUnknown();
      expectTypeOf(request.path).toEqualTypeOf<string>();
      next(error);
    },
    ServiceRouter(),
    errorHandler,
  ],
  routers: {
    additional: [(request, _response, next) => next(request.path)],
    replace: { "model-router": (request, _response, next) => next(request.path), apiDocs: ServiceRouter() },
  },
  middlewares: {
    additional: [(request, _response, next) => next(request.path)],
    replace: {
      cors: (request, _response, next) => next(request.path),
      serverJson: (request, _response, next) => next(request.path),
      "error-handler": (error, request, _response, next) => next([error, request.path]),
    },
  },
}) satisfies ServiceInitConfig;

// @ts-expect-error nothing that handles
({ use: [5] }) satisfies ServiceInitConfig;
// @ts-expect-error unknown middleware
({ middlewares: { replace: { corse: handler } } }) satisfies ServiceInitConfig;
// @ts-expect-error unknown router
({ routers: { replace: { "model-routers": handler } } }) satisfies ServiceInitConfig;

// C45: hooks of the modules without a model are typed inline.
({
  models: {
    "file-upload": {
      hooks: {
        beforeUploadFile: (request, _response, next) => next(request.path),
        afterFindFile: [(request, response, next) => next([request.path, response.locals])],
      },
      router: (request, _response, next) => next(request.path),
    },
    fileUpload: { hooks: { beforeDeleteFile: (request, _response, next) => next(request.path) } },
    auth: { hooks: { beforeLogin: (request, _response, next) => next(request.path) } },
  },
}) satisfies ServiceInitConfig;

// @ts-expect-error unknown hook
({ models: { "file-upload": { hooks: { beforeUpload: handler } } } }) satisfies ServiceInitConfig;

// The context of handlers is typed by the project's client.
interface Client extends PrismaClientLike {
  readonly book: { findMany(): Promise<readonly { readonly title: string }[]> };
}
const contextOf = service.context<Client>();
ServiceRouter().get({ path: "/books" }, async (request, response) => {
  const { client, logger, mailer, database } = contextOf(request);
  expectTypeOf(await client.book.findMany()).toEqualTypeOf<readonly { readonly title: string }[]>();
  expectTypeOf(logger.info).toBeFunction();
  expectTypeOf(mailer).toEqualTypeOf<Mailer>();
  expectTypeOf(database).toEqualTypeOf<Database>();
  response.json({});
});

// The names of models, fields and roles come from the generator's output.
const { defineModels, defineModel } = typedModels({
  format: 1,
  enums: [{ name: "Role", values: [{ name: "ADMIN" }, { name: "CLERK" }] }],
  models: [
    {
      name: "User",
      fields: [
        { name: "id", kind: "scalar", type: "Int" },
        { name: "role", kind: "enum", type: "Role" },
      ],
      keys: [],
    },
    { name: "Note", fields: [{ name: "text", kind: "scalar", type: "String" }], keys: [] },
  ],
});
const typed = defineModels({
  Note: {
    hidden: ["text"],
    auth: {
      findMany: ["ADMIN"],
      where: () => ({ text: "a" }),
      fields: { CLERK: ["text"] },
      createOne: { rule: ["*"] },
    },
    hooks: { beforeCreateOne: (request, _response, next) => next(request.path) },
  },
  auth: { auth: { signup: ["ADMIN"] } },
});
({ models: typed }) satisfies ServiceInitConfig;
defineModel("Note", { searchable: ["text"] }) satisfies ModelConfig;
// @ts-expect-error unknown model
defineModels({ Notes: {} });
defineModels({ Note: { auth: { all: ["ADMIN"], read: false, write: { rule: ["*"], where: () => ({ text: "a" }) } } } });
// @ts-expect-error a role that there is not, under a short name
defineModels({ Note: { auth: { write: ["ADMINS"] } } });
// @ts-expect-error a word for operations that there is not
defineModels({ Note: { operations: { reads: false } } });
// @ts-expect-error unknown field
defineModels({ Note: { hidden: ["txt"] } });
// @ts-expect-error unknown field
defineModel("Note", { writable: ["role"] });
// @ts-expect-error unknown role
defineModels({ Note: { auth: { findMany: ["ADMINS"] } } });
// @ts-expect-error unknown role
defineModels({ Note: { auth: { fields: { BOSS: ["text"] } } } });
// @ts-expect-error unknown field
defineModels({ Note: { auth: { where: () => ({ txt: "a" }) } } });

// C102: computed fields receive the fields that they need, and return their type.
const shop = typedModels({
  format: 1,
  enums: [{ name: "Size", values: [{ name: "S" }, { name: "L" }] }],
  models: [
    {
      name: "Item",
      fields: [
        { name: "name", kind: "scalar", type: "String" },
        { name: "note", kind: "scalar", type: "String", isOptional: true },
        { name: "price", kind: "scalar", type: "Decimal" },
        { name: "tags", kind: "scalar", type: "String", isList: true },
        { name: "size", kind: "enum", type: "Size" },
        { name: "parts", kind: "relation", type: "Item", relation: { name: "Parts" } },
      ],
      keys: [],
    },
  ],
});
const item = shop.defineModel("Item", {
  hidden: ["note", "count"],
  auth: { fields: { "*": ["name", "label"] } },
  computed: {
    label: {
      type: z.string(),
      needs: ["name", "note", "size"],
      compute: (row) => {
        expectTypeOf(row).toEqualTypeOf<{
          readonly name: string;
          readonly note: string | null;
          readonly size: "S" | "L";
        }>();
        return row.name;
      },
    },
    double: {
      type: z.number(),
      needs: ["price"],
      compute: ({ price }) => price.toNumber() * 2,
      sql: ({ column, sql }) => {
        // @ts-expect-error a field that it does not need
        column("name");
        // @ts-expect-error neither a column nor a value
        sql`${{}}`;
        return sql`${column("price")} * ${2}`;
      },
    },
    count: { type: z.int().nullable(), needs: ["tags"], compute: ({ tags }) => tags.length || null },
    gross: { type: z.string(), needs: ["price"], compute: ({ price }) => price.toFixed(2) },
    ofClient: { type: z.string() },
  },
});
expectTypeOf(item).toEqualTypeOf<
  DefinedModel<{
    readonly label: string;
    readonly double: number;
    readonly count: number | null;
    readonly gross: string;
    readonly ofClient: string;
  }>
>();
item satisfies ModelConfig;
expectTypeOf<z.output<NonNullable<typeof item.computed>["count"]["type"]>>().toEqualTypeOf<number | null>();
const items = shop.defineModels({
  Item: {
    hidden: ["kind"],
    auth: { fields: { "*": ["name", "label"] } },
    computed: {
      label: { type: z.string(), needs: ["name", "note"], compute: ({ name, note }) => note ?? name },
      kind: { type: z.literal("item"), needs: [], compute: () => "item" as const },
    },
  },
});
({ models: items }) satisfies ServiceInitConfig;
// @ts-expect-error unknown field
shop.defineModel("Item", { computed: { label: { type: z.string(), needs: ["nam"], compute: () => "" } } });
// @ts-expect-error a relation
shop.defineModel("Item", { computed: { label: { type: z.string(), needs: ["parts"], compute: () => "" } } });
shop.defineModel("Item", {
  computed: { label: { type: z.string(), needs: [], compute: () => "" } },
  // @ts-expect-error unknown field
  auth: { fields: { "*": ["labl"] } },
});
shop.defineModels({
  Item: {
    computed: { label: { type: z.string(), needs: [], compute: () => "" } },
    // @ts-expect-error unknown field
    auth: { fields: { "*": ["labl"] } },
  },
});
// @ts-expect-error a field that it does not need
shop.defineModel("Item", { computed: { label: { type: z.string(), needs: ["note"], compute: ({ name }) => name } } });
// @ts-expect-error a value of another type
shop.defineModel("Item", { computed: { label: { type: z.string(), needs: ["note"], compute: ({ note }) => note } } });
// @ts-expect-error a text in place of the template
shop.defineModel("Item", { computed: { a: { type: z.string(), needs: [], compute: () => "", sql: () => "1" } } });
// @ts-expect-error a promise
shop.defineModel("Item", { computed: { label: { type: z.string(), needs: [], compute: async () => "" } } });
// @ts-expect-error unknown field
shop.defineModels({ Item: { computed: { label: { type: z.string(), needs: ["nam"], compute: () => "" } } } });
// @ts-expect-error a field that it does not need
shop.defineModels({ Item: { computed: { a: { type: z.string(), needs: ["note"], compute: ({ name }) => name } } } });
// @ts-expect-error a value of another type
shop.defineModels({ Item: { computed: { a: { type: z.string(), needs: ["note"], compute: ({ note }) => note } } } });

// The names themselves.
const written = {
  format: 1,
  enums: [{ name: "Role", values: [{ name: "ADMIN" }] }],
  models: [
    {
      name: "User",
      fields: [
        { name: "id", kind: "scalar", type: "Int" },
        { name: "role", kind: "enum", type: "Role" },
      ],
      keys: [],
    },
    { name: "Note", fields: [{ name: "text", kind: "scalar", type: "String" }], keys: [] },
  ],
} as const;
type Written = typeof written;
expectTypeOf<ModelName<Written>>().toEqualTypeOf<"User" | "Note">();
expectTypeOf<FieldName<Written, "User">>().toEqualTypeOf<"id" | "role">();
expectTypeOf<RoleName<Written>>().toEqualTypeOf<"ADMIN">();
expectTypeOf(typedModels(written)).toEqualTypeOf<ModelTyping<Written>>();
expectTypeOf<TypedModels<Written>["Note"]>().toEqualTypeOf<TypedModelConfig<Written, "Note"> | undefined>();
expectTypeOf<TypedModelConfig<Written, "Note">["hidden"]>().toEqualTypeOf<readonly "text"[] | undefined>();
expectTypeOf(contextOf).toEqualTypeOf<ContextOf<Client>>();
expectTypeOf<ReturnType<ContextOf<Client>>>().toEqualTypeOf<ServiceContext<Client>>();

// C72 a function that identifies callers has typed input and output.
defineConfig({
  authentication: {
    mode: "static",
    issuers: [
      {
        issuer: "https://a.example",
        audience: ["a", "b"],
        user: (claims) => {
          expectTypeOf(claims).toEqualTypeOf<IssuerClaims>();
          expectTypeOf(claims.sub).toBeString();
          expectTypeOf(claims.roles).toBeUnknown();
          return claims.sub === "" ? undefined : { id: claims.sub };
        },
      },
    ],
    identify: async ({ headers }) => (headers.cookie === undefined ? undefined : { id: 1, roles: ["READER"] }),
  },
});
expectTypeOf<Caller>().toExtend<ExternalCaller>();
expectTypeOf<TokenIssuer["user"]>().returns.toEqualTypeOf<ReturnType<Identify>>();
// @ts-expect-error a caller has an id
defineConfig({ authentication: { mode: "static", identify: () => ({ roles: [] }) } });
// @ts-expect-error roles are texts
defineConfig({ authentication: { mode: "static", identify: () => ({ id: 1, roles: [1] }) } });
// @ts-expect-error an issuer requires an audience
defineConfig({ authentication: { mode: "static", issuers: [{ issuer: "https://a.example", user: () => undefined }] } });
// C49 a declared route enables idempotency keys.
ServiceRouter().post({ path: "/", idempotency: true }, handler);
// @ts-expect-error it is true or false
ServiceRouter().post({ path: "/", idempotency: "yes" }, handler);

// C100: the tenant of a caller is any value of it.
expectTypeOf<TenantConfig["of"]>().parameter(0).toEqualTypeOf<Caller>();
defineConfig({ tenant: { field: "organizationId", of: (caller) => caller.user.organizationId, shared: ["Country"] } });
// @ts-expect-error the tenant is a function of the caller
defineConfig({ tenant: { field: "organizationId", of: 1 } });

// C109, C110: jobs are sent with the input of their schema and run with its output; events have the types of the row.
const mail = defineJob({
  name: "mail",
  payload: z.object({ to: z.string(), at: z.coerce.number().default(1) }),
  handler: (payload, context) => {
    expectTypeOf(payload).toEqualTypeOf<{ to: string; at: number }>();
    expectTypeOf(context).toEqualTypeOf<JobContext>();
    expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
  },
});
declare const sender: JobSender;
expectTypeOf(sender.send(mail, { to: "ann" })).toEqualTypeOf<Promise<string | undefined>>();
// @ts-expect-error the payload has no field "from"
void sender.send(mail, { to: "ann", from: "ben" });
// @ts-expect-error the payload is required
void sender.send(mail, {});
interface OwnClient extends PrismaClientLike {
  readonly order: object;
}
defineJob({
  name: "own-client",
  payload: z.string(),
  handler: (_payload, { client }: JobContext<OwnClient>) => expectTypeOf(client.order).toEqualTypeOf<object>(),
});
interface OrderRow {
  id: number;
  at: Date | null;
  size: bigint;
  tags: string[];
}
expectTypeOf<UpdatedEvent<OrderRow>["before"]>().toEqualTypeOf<{
  readonly id: number;
  readonly at: string | null;
  readonly size: string;
  readonly tags: string[];
}>();
expectTypeOf<CreatedEvent<OrderRow>["before"]>().toEqualTypeOf<null>();
expectTypeOf<DeletedEvent<OrderRow>["after"]>().toEqualTypeOf<null>();
