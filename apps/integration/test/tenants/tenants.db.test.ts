import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import service, {
  type Caller,
  httpErrors,
  type Response,
  readableWhere,
  type ServiceInitConfig,
  ServiceRouter,
  type TenantConfig,
} from "@servicekit/service";
import { Router } from "express";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { makeFailingStarter } from "../../../../packages/service/test/failing-start.js";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { uploadsBelow } from "../../../../packages/uploads/test/serve.js";
import { emptyTables } from "../../../../scripts/test/empty-tables.js";
import { createProviderDatabase, type TestedProvider } from "../../../../scripts/test/provider-database.js";
import { emptySqlite } from "../../../../scripts/test/sqlite-database.js";
import { PrismaClient } from "../generated/tenants/client/client.js";
import { models } from "../generated/tenants/models.js";
import { PrismaClient as SqliteClient } from "../generated/tenants-sqlite/client/client.js";
import { models as sqliteModels } from "../generated/tenants-sqlite/models.js";

const password = "a long staple of horses";
const names = ["Organization", "Project", "Task", "Note", "Label", "Country", "User"];
const tenant: TenantConfig = {
  field: "organizationId",
  of: (caller) => caller.user.organizationId,
  shared: ["Country", "AuthRole", "AuthPermission"],
};

const plan = { type: "single", field: "plan", allowedFileTypes: ["txt"], deleteOnError: true } as const;

const contextOf = service.context<PrismaClient>();
const router = ServiceRouter();
// As in the guide: a declared route restricts its queries to the rows of the caller.
router.get({ path: "/api/project-names", authentication: true }, async (request, response) => {
  const where = await readableWhere(request, "Project");
  if (where === false) throw httpErrors.Forbidden();
  const projects = await contextOf(request)
    .database.of("Project")
    .findMany(where === true ? {} : { where });
  response.json({ data: projects.map(({ name }) => name) });
});

const readable = async (
  request: Parameters<typeof contextOf>[0] & IncomingMessage,
  model: string,
  response: Pick<Response, "json">,
) => {
  const where = await readableWhere(request, model);
  if (where === false) throw httpErrors.Forbidden();
  const delegate = contextOf(request).database.of(model);
  const rows = await delegate.findMany({
    ...(where === true ? {} : { where }),
    select: { id: true },
    orderBy: { id: "asc" },
  });
  response.json({ data: rows.map(({ id }) => id) });
};
router.get({ path: "/api/readable/:model", authentication: "optional" }, (request, response) =>
  readable(request, String((request.params as { model: string }).model), response),
);
const plain = Router().get("/api/plain/:model", (request, response) =>
  readable(request, request.params.model, response),
);

type Credentials = Readonly<Record<string, string>>;
interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
  readonly body: any;
}

const uploads = mkdtempSync(path.join(tmpdir(), "tenants-"));
afterAll(() => rmSync(uploads, { recursive: true, force: true }));

const { init, closeAll, logText } = makeStarter();
const failing = makeFailingStarter();
let provider: TestedProvider = "postgresql";
let created: Awaited<ReturnType<typeof createProviderDatabase>>;
let client: PrismaClient;

async function createTenants(): Promise<void> {
  created = await createProviderDatabase(provider, inject("postgresUrl"), {
    project: "apps/integration",
    fixture: "tenants",
  });
}

/** Deletes the rows that tests write, and starts the ids again. */
async function empty(): Promise<void> {
  const tables = ["Project", "Note", "Task", "Label", "_LabelToProject"];
  if (provider === "sqlite") await emptySqlite(created.url, tables);
  else await client.$executeRawUnsafe(emptyTables(...tables));
}

/** Leaves room for the rows that were there before the ids started again; SQLite uses none twice. */
async function skipIds(table: string): Promise<void> {
  if (provider === "postgresql") await client.$executeRawUnsafe(`ALTER SEQUENCE "${table}_id_seq" RESTART WITH 100`);
}

async function start(mode: "static" | "dynamic", config: ServiceInitConfig = {}) {
  const open = { all: true } as const;
  const { url } = await init(
    {
      tenant,
      fileUpload: { baseUploadDir: uploads },
      use: [router, plain],
      middlewares: { rateLimit: { limit: 1_000_000 } },
      authentication: {
        mode,
        login: { allowedUsernames: ["username"] },
        password: { cost: 4 },
        rateLimit: { limit: 1_000_000 },
      },
      database: {
        models: provider === "sqlite" ? sqliteModels : models,
        client: ({ adapter }) => {
          const Client = provider === "sqlite" ? (SqliteClient as unknown as typeof PrismaClient) : PrismaClient;
          client = new Client({ adapter: adapter as never });
          return client;
        },
      },
      models: {
        ...Object.fromEntries(names.map((name) => [name, { auth: open }])),
        Project: {
          auth: open,
          upsert: true,
          import: true,
          uploads: { createOne: plan, updateOne: plan },
        },
        Label: { auth: open, upsert: true, aggregate: true },
        Task: { auth: open, aggregate: true },
        fileUpload: { auth: { deleteFile: true } },
      },
      ...config,
    },
    { environment: { NODE_ENV: "test", DATABASE_URL: created.url, JWT_SECRET: "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e" } },
  );
  const call = async (who: Credentials, method: string, at: string, body?: unknown): Promise<Reply> => {
    const response = await fetch(`${url}/api/${at}`, {
      method,
      headers: { ...who, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  const signIn = async (username: string): Promise<Credentials> => {
    const { body } = await call({}, "POST", "auth/login", { username, password });
    return { authorization: `Bearer ${body.accessToken}` };
  };
  return { url, call, signIn };
}

const paths = (body: { errors?: { path: string }[] }) => body.errors?.map(({ path }) => path);

describe.each([
  ["static", "postgresql"],
  ["dynamic", "postgresql"],
  ["dynamic", "sqlite"],
] as const)("C100 tenants in %s mode on %s", (mode, database) => {
  let url: string;
  let call: (who: Credentials, method: string, path: string, body?: unknown) => Promise<Reply>;
  const callers: Record<"ada" | "bob" | "guest" | "root", Credentials> = { ada: {}, bob: {}, guest: {}, root: {} };
  beforeAll(async () => {
    provider = database;
    await createTenants();
    const served = await start(mode);
    ({ call, url } = served);
    await client.organization.createMany({ data: [{ name: "one" }, { name: "two" }] });
    for (const username of ["ada", "bob", "guest", "root"]) {
      const body = { username, email: `${username}@example.com`, password };
      expect((await call({}, "POST", "auth/signup", { ...body, organizationId: 1 })).status).toBe(400);
      expect((await call({}, "POST", "auth/signup", body)).status).toBe(201);
    }
    await client.user.update({ where: { username: "ada" }, data: { organizationId: 1 } });
    await client.user.update({ where: { username: "bob" }, data: { organizationId: 2 } });
    await client.user.update({ where: { username: "root" }, data: { isSuperUser: true } });
    await client.country.create({ data: { code: "PT", name: "Portugal" } });
    if (mode === "dynamic") {
      const actions = ["View", "Create", "Update", "Delete"];
      const resources = ["organization", "project", "task", "note", "label", "country", "user"];
      await client.authRole.create({
        data: {
          name: "member",
          users: { connect: [{ username: "ada" }, { username: "bob" }, { username: "guest" }] },
          permissions: { create: resources.flatMap((resource) => actions.map((action) => ({ resource, action }))) },
        },
      });
    }
    for (const name of ["ada", "bob", "guest", "root"] as const) callers[name] = await served.signIn(name);
  });
  beforeEach(async () => {
    await empty();
    await client.project.createMany({
      data: [
        { name: "first", organizationId: 1 },
        { name: "second", organizationId: 2 },
      ],
    });
    await client.label.createMany({
      data: [
        { name: "red", organizationId: 1 },
        { name: "blue", organizationId: 2 },
      ],
    });
  });
  afterAll(async () => {
    await closeAll();
    await created.drop();
  });

  const ada = (method: string, at: string, body?: unknown) => call(callers.ada, method, at, body);

  it("show each caller the rows of one tenant, on every path", async () => {
    expect((await ada("GET", "projects")).body).toMatchObject({ data: [{ name: "first" }], meta: { total: 1 } });
    expect((await call(callers.bob, "GET", "projects")).body.data).toMatchObject([{ name: "second" }]);
    for (const method of ["GET", "DELETE"]) expect((await ada(method, "projects/2")).status).toBe(404);
    expect((await ada("PATCH", "projects/2", { name: "x" })).status).toBe(404);
    expect((await ada("PUT", "projects/2", { name: "x" })).status).toBe(404);
    expect((await ada("DELETE", "projects/many", { ids: [1, 2] })).status).toBe(404);
    expect((await ada("DELETE", "projects/many?id__gt=1")).body.meta.count).toBe(0);
    expect((await ada("GET", "projects?organization[name]=two")).body.data).toEqual([]);
    expect((await ada("GET", "organizations?include=projects")).body.data).toMatchObject([
      { id: 1, projects: [{ name: "first" }] },
    ]);
    expect((await ada("GET", "users?fields=username")).body.data).toEqual([{ username: "ada" }]);
    expect((await ada("GET", "countries/PT")).status).toBe(200);
  });

  it("C30 are the rows that readableWhere returns in routes of the application, for each caller", async () => {
    await client.note.createMany({
      data: [1, 2].map((projectId) => ({ text: "n", projectId, organizationId: projectId })),
    });
    const ids = async (who: Credentials, at: string): Promise<unknown> => {
      const { status, body } = await call(who, "GET", at);
      return status === 200
        ? body.data.map((row: number | { id: number }) => (typeof row === "number" ? row : row.id))
        : [];
    };
    for (const [name, who] of Object.entries({ ...callers, anonymous: {} })) {
      for (const [model, path] of [
        ["Project", "projects"],
        ["Note", "notes"],
        ["Label", "labels"],
        ["User", "users"],
        ["Organization", "organizations"],
      ]) {
        const listed = await ids(who, `${path}?sort=id`);
        expect([name, model, await ids(who, `readable/${model}`)]).toEqual([name, model, listed]);
        // Without `authentication`, a route identifies no caller.
        expect([name, model, await ids(who, `plain/${model}`)]).toEqual([name, model, []]);
      }
    }
    expect(await ids(callers.ada, "readable/Project")).toEqual([1]);
    expect(await ids(callers.root, "readable/Project")).toEqual([1, 2]);
    expect((await ada("GET", "readable/Projekt")).status).toBe(500);
    expect(logText()).toContain("Unknown model Projekt in readableWhere. Did you mean Project?");
  });

  it("C98 limit aggregates to the rows of the caller's tenant", async () => {
    const [first, second] = await client.project.findMany({ orderBy: { id: "asc" } });
    await client.task.createMany({
      data: [first, first, second].map((project) => ({
        ...{ title: "a", projectId: project?.id ?? 0, organizationId: project?.organizationId ?? 0 },
      })),
    });
    // Prisma Client does not group by fields of other models.
    const [field, one, two] =
      database === "sqlite" ? ["projectId", first?.id, second?.id] : ["project.name", "first", "second"];
    const groups = async (who: Credentials) =>
      (await call(who, "GET", `tasks/aggregate?groupBy=${field}&count=true`)).body.data;
    expect(await groups(callers.ada)).toEqual([{ group: { [String(field)]: one }, count: 2 }]);
    expect(await groups(callers.bob)).toEqual([{ group: { [String(field)]: two }, count: 1 }]);
    expect(await groups(callers.guest)).toEqual([]);
    const labels = await ada("GET", "labels/aggregate?count=true&organizationId=2");
    expect(labels.body.data).toEqual([{ count: 0 }]);
  });

  it("set the tenant of new rows, which no body sets or changes", async () => {
    const made = await ada("POST", "projects", { name: "new", tasks: [{ title: "nested" }], country: { code: "PT" } });
    expect(made).toMatchObject({ status: 201, body: { data: { organizationId: 1 } } });
    expect(await client.task.findMany()).toMatchObject([{ title: "nested", organizationId: 1 }]);
    const many = await ada("POST", "tasks/many", [{ title: "a" }, { title: "b", project: { id: 1 } }]);
    expect(many.body.data.map((row: { organizationId: number }) => row.organizationId)).toEqual([1, 1]);
    for (const given of [{ organizationId: 2 }, { organization: { id: 2 } }, { organizationId: 1 }]) {
      const [name] = Object.keys(given);
      for (const [method, at] of [
        ["POST", "projects"],
        ["PATCH", "projects/1"],
        ["PUT", "projects/1"],
      ] as const) {
        const reply = await ada(method, at, { name: "y", ...given });
        expect([reply.status, paths(reply.body)]).toEqual([400, [`/${name}`]]);
        // The relation cannot be set either.
        expect(reply.body.errors[0].message).not.toContain("Did you mean");
      }
    }
    expect((await ada("PATCH", "users/me", { organizationId: 2 })).status).toBe(400);
    expect((await ada("PATCH", "organizations/1", { projects: [{ id: 2 }] })).status).toBe(400);
    await skipIds("Organization");
    expect((await ada("POST", "organizations", { name: "three" })).status).toBe(403);
  });

  const sendForm = async (who: Credentials, method: string, at: string, fields: Readonly<Record<string, string>>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append("plan", new Blob(["The plan."]), "plan.txt");
    const response = await fetch(`${url}/api/${at}`, { method, headers: who, body: form });
    return { status: response.status, body: await response.json() };
  };
  const files = () => uploadsBelow(uploads);

  it("set the tenant of rows that are created with a file", async () => {
    expect(await sendForm(callers.ada, "POST", "projects", { name: "with a file" })).toMatchObject({
      status: 201,
      body: { data: { organizationId: 1, plan: expect.stringContaining("/uploads/") } },
    });
    const given = await sendForm(callers.ada, "POST", "projects", { name: "other", organizationId: "2" });
    expect([given.status, paths(given.body)]).toEqual([400, ["/organizationId"]]);
  });

  it("C35 store no file for a row that the caller cannot create or change", async () => {
    const before = files();
    const rejected = [
      await sendForm(callers.ada, "POST", "projects", { name: "other", organizationId: "2" }),
      await sendForm(callers.guest, "POST", "projects", { name: "other" }),
      await sendForm(callers.ada, "PATCH", "projects/2", { name: "other" }),
      await sendForm({}, "POST", "projects", { name: "other" }),
    ];
    expect(rejected.map(({ status }) => status)).toEqual([400, 403, 404, 401]);
    expect(await client.project.findUnique({ where: { id: 2 } })).toMatchObject({ name: "second", plan: null });
    // Files are deleted after the response.
    await expect.poll(() => files().filter((file) => !before.includes(file))).toEqual([]);
  });

  it("C34 show the path of a file to its tenant only, and let only its uploader delete it", async () => {
    const made = await sendForm(callers.ada, "POST", "projects", { name: "with a file" });
    const { id, plan: path } = made.body.data;
    expect((await ada("GET", `projects/${id}`)).body.data.plan).toBe(path);
    expect((await call(callers.bob, "GET", `projects/${id}`)).status).toBe(404);
    expect((await call(callers.bob, "GET", `projects?plan=${path}`)).body.data).toEqual([]);
    const remove = async (who: Credentials) =>
      (await fetch(new URL(path, url), { method: "DELETE", headers: who })).status;
    expect([await remove(callers.bob), await remove(callers.guest), await remove({})]).toEqual([404, 404, 401]);
    expect((await fetch(new URL(path, url))).status).toBe(200);
    expect(await remove(callers.ada)).toBe(204);
  });

  it("apply to declared routes that filter by the tenant of the caller", async () => {
    expect((await ada("GET", "project-names")).body).toEqual({ data: ["first"] });
    expect((await call(callers.bob, "GET", "project-names")).body).toEqual({ data: ["second"] });
    expect((await call(callers.guest, "GET", "project-names")).body).toEqual({ data: [] });
  });

  it("reject connections to rows of another tenant as those of missing rows", async () => {
    for (const projectId of [2, 4711]) {
      const byKey = await ada("POST", "tasks", { title: "t", projectId });
      expect([byKey.status, byKey.body.code, paths(byKey.body)]).toEqual([
        400,
        "RelatedRecordNotFound",
        ["/projectId"],
      ]);
      const byRelation = await ada("POST", "tasks", { title: "t", project: { id: projectId } });
      expect([byRelation.status, byRelation.body.code]).toEqual([400, "RelatedRecordNotFound"]);
    }
    for (const name of ["blue", "absent"]) {
      const linked = await ada("PATCH", "projects/1", { labels: [{ name }] });
      expect([linked.status, linked.body.code]).toEqual([400, "RelatedRecordNotFound"]);
    }
    expect(await client.task.count()).toBe(0);
  });

  it("complete foreign keys that contain the tenant", async () => {
    const made = await ada("POST", "notes", { text: "n", projectId: 1 });
    expect(made).toMatchObject({ status: 201, body: { data: { organizationId: 1, projectId: 1 } } });
    for (const projectId of [2, 4711]) {
      const { status, body } = await ada("POST", "notes", { text: "n", projectId });
      expect([status, body.code, paths(body)]).toEqual([400, "RelatedRecordNotFound", ["/projectId"]]);
      expect((await ada("PATCH", `notes/${made.body.data.id}`, { projectId })).body.code).toBe("RelatedRecordNotFound");
    }
    expect((await ada("PATCH", `notes/${made.body.data.id}`, { projectId: 1 })).status).toBe(200);
  });

  it("synchronise rows of the tenant by a unique key with it", async () => {
    const { status, body } = await ada("POST", "projects/many?onConflict=name", [
      { name: "second" },
      { name: "first", countryCode: "PT" },
    ]);
    expect([status, body.meta.statuses]).toEqual([201, [201, 200]]);
    expect(await client.project.count({ where: { name: "second" } })).toBe(2);
    const taken = await ada("POST", "labels/many?onConflict=name", [{ name: "red" }, { name: "blue" }]);
    expect([taken.status, paths(taken.body)]).toEqual([409, ["/1/name"]]);
    expect((await ada("PUT", "labels/blue", {})).status).toBe(404);
    expect((await ada("PUT", "labels/green", {})).body.data).toMatchObject({ name: "green", organizationId: 1 });
  });

  it("C14 name the item of a bulk whose unique key contains the tenant", async () => {
    const twice = [{ name: "new" }, { name: "first" }];
    for (const query of ["", "?dryRun=true"]) {
      const { status, body } = await ada("POST", `projects/many${query}`, twice);
      expect([query, status, paths(body)]).toEqual([query, 409, ["/1/organizationId", "/1/name"]]);
    }
    const { data } = (await ada("POST", "projects/many", [{ name: "second" }, { name: "third" }])).body;
    const taken = data.map(({ id, name }: { id: number; name: string }) => ({
      id,
      ...(name === "third" && { name: "first" }),
    }));
    const { status, body } = await ada("PATCH", "projects/many", taken);
    expect([status, paths(body)]).toEqual([409, ["/1/organizationId", "/1/name"]]);
  });

  it("show a caller without a tenant nothing, and let superusers see all rows", async () => {
    expect((await call(callers.guest, "GET", "projects")).body.data).toEqual([]);
    expect((await call(callers.guest, "POST", "projects", { name: "n" })).status).toBe(403);
    expect((await call(callers.guest, "POST", "projects/many", [{ name: "n" }])).status).toBe(403);
    expect((await call({}, "GET", "projects")).status).toBe(401);
    expect((await call(callers.root, "GET", "projects")).body.meta.total).toBe(2);
    expect((await call(callers.root, "POST", "projects", { name: "n" })).status).toBe(403);
    await skipIds("User");
    const user = { username: "new", email: "new@example.com", password };
    const made = await call(callers.root, "POST", "users", user);
    expect(made).toMatchObject({ status: 201, body: { data: { organizationId: null } } });
    expect((await call(callers.root, "DELETE", `users/${made.body.data.id}`)).status).toBe(204);
  });
});

describe("C100 tenants and the own rules of a model", () => {
  beforeAll(async () => {
    provider = "postgresql";
    await createTenants();
  });
  afterAll(async () => {
    await closeAll();
    await created.drop();
  });

  it("both apply, and hooks cannot write rows of another tenant", async () => {
    const open = { all: true } as const;
    const { call, signIn } = await start("static", {
      models: {
        Project: { auth: { ...open, where: () => ({ name: { not: "secret" } }) } },
        Task: {
          auth: open,
          hooks: {
            beforeCreateOne: (request, _response, next) => {
              request.body.organizationId = 2;
              next();
            },
          },
        },
      },
    });
    await client.organization.createMany({ data: [{ name: "one" }, { name: "two" }] });
    await call({}, "POST", "auth/signup", { username: "ada", email: "ada@example.com", password });
    await client.user.update({ where: { username: "ada" }, data: { organizationId: 1 } });
    await client.project.createMany({
      data: [
        { name: "shown", organizationId: 1 },
        { name: "shown", organizationId: 2 },
        { name: "secret", organizationId: 2 },
      ],
    });
    const ada = await signIn("ada");
    expect((await call(ada, "GET", "projects")).body.data).toMatchObject([{ name: "shown", organizationId: 1 }]);
    expect((await call(ada, "POST", "projects", { name: "secret" })).status).toBe(403);
    expect((await call(ada, "POST", "tasks", { title: "t" })).status).toBe(403);
    expect(await client.task.count()).toBe(0);
  });
});

describe("C100 startup errors of tenants", () => {
  const environment = { JWT_SECRET: "x".repeat(40), DATABASE_URL: "postgresql://localhost:1/none" };
  const database = { client: () => expect.unreachable(), models };
  const authentication = { mode: "static", login: { allowedUsernames: ["username"] } };
  const textOf = (config: object) => failing.textOf({ database, authentication, ...config }, {}, environment);

  it("name each model without the field that is not shared", async () => {
    expect(
      await textOf({ tenant: { field: "organizationId", of: () => 1, shared: ["Contry", "Task"] } }),
    ).toMatchInlineSnapshot(`
      "The service cannot start (5 errors):
        - tenant.shared: Unknown model Contry. Did you mean Country?
        - tenant.shared: Task has the field organizationId, so its rows belong to tenants.
        - tenant: AuthRole has no field organizationId. Add the field, or list the model in tenant.shared.
        - tenant: AuthPermission has no field organizationId. Add the field, or list the model in tenant.shared.
        - tenant: Country has no field organizationId. Add the field, or list the model in tenant.shared."
    `);
  });

  it.each<[string, (caller: Caller) => unknown, string[]]>([
    [
      "a misspelt field",
      (caller) => caller.user.organisationId,
      ["Unknown field of User organisationId. Did you mean organizationId?"],
    ],
    [
      "a converted one",
      ({ user }) => Number(user.organizationID),
      ["Unknown field of User organizationID. Did you mean organizationId?"],
    ],
    [
      "a relation",
      ({ user }) => (user as { organization: { id: number } }).organization.id,
      ["Unknown field of User organization. Did you mean organizationId?"],
    ],
    [
      "a field of the caller",
      (caller) => (caller as unknown as { organizationId: number }).organizationId,
      ["A caller has no organizationId. Did you mean caller.user.organizationId?"],
    ],
    [
      "a hidden field",
      ({ user }) => user.password,
      ["caller.user has no password, because this field of User is hidden."],
    ],
    ["the field", ({ user: { organizationId } }) => BigInt(organizationId as number), []],
    ["the id", (caller) => `${caller.identifiedBy ?? ""}${caller.id}`, []],
    ["a field that it reads last", async ({ user }) => Promise.reject(user.organizationId), []],
  ])("C100 name what tenant.of reads and no caller has: %s", async (_name, of, messages) => {
    const { field, shared } = tenant;
    // One that is always reported.
    const text = await textOf({ tenant: { field, of, shared }, prot: 1 });
    const expected = messages.map((message) => `  - tenant.of: ${message}`);
    expect(text.split("\n").filter((line) => line.includes("tenant"))).toEqual(expected);
  });

  it("C100 cannot know the fields of callers of other issuers", async () => {
    const { field, shared } = tenant;
    const of = (caller: Caller) => caller.user.tenantId ?? caller.user.organizationId;
    const identify = () => undefined;
    const text = await textOf({
      tenant: { field, of, shared },
      authentication: { ...authentication, identify },
      prot: 1,
    });
    expect(text).not.toContain("tenant");
  });

  it("name an unknown field, bodies that set the tenant, and missing authentication", async () => {
    expect(await textOf({ tenant: { field: "organisationId", of: () => 1 } })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - tenant.field: Unknown field organisationId. Did you mean organizationId?"
    `);
    expect(await textOf({ tenant, models: { Task: { writable: ["organization"] } } })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - models.Task.writable: organization sets the tenant of a row, which no body can set. Remove it."
    `);
    expect(await textOf({ tenant, authentication: undefined })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - tenant: Tenants are those of callers. Add the block \`authentication\`, or remove this one."
    `);
    expect(await textOf({ tenant: { field: "", of: 1, share: [] } })).toMatchInlineSnapshot(`
      "The service cannot start (3 errors):
        - tenant.field (the init object): found an empty string, expected a non-empty string.
        - tenant.of (the init object): found 1 (a number), expected a function that returns the tenant of a caller.
        - tenant.share (the init object): Unknown key. Did you mean shared?"
    `);
  });
});
