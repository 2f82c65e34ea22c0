import path from "node:path";
import request from "supertest";
import { afterEach, describe, expect, it } from "vitest";
import { makeFailingStarter } from "./failing-start.js";
import { models as gallery } from "./generated/gallery/models.js";
import { models as notes } from "./generated/notes/models.js";
import { models as workshop } from "./generated/workshop/models.js";

const { textOf, create, project, closeAll } = makeFailingStarter();
afterEach(closeAll);

/** Nothing connects before a service runs. */
const DATABASE_URL = "postgresql://localhost:1/none";

describe("C106 recorded changes", () => {
  it("prevent startup if the schema cannot record them", async () => {
    const textWith = (models: object, configs: object) =>
      textOf({ database: { client: () => expect.unreachable(), models }, models: configs }, {}, { DATABASE_URL });
    expect(await textWith(workshop, { Change: { changes: true }, Order: { changes: true } })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - models.Change.changes: The change log does not record itself."
    `);
    expect(await textWith(notes, { Note: { changes: true } })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - models.Note.changes: requires a model Change in the schema. Run npx service generate changes."
    `);
    const keyless = workshop.models.map((model) => (model.name === "Order" ? { ...model, keys: [] } : model));
    expect(await textWith({ ...workshop, models: keyless }, { Order: { changes: true } })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - models.Order.changes: Order has no key that identifies a row."
    `);
  });
});

describe("C109 C112 C124 work besides requests", () => {
  it("prevents startup without a database for the queue of its jobs", async () => {
    const endpoints = [
      { url: "https://example.com/", events: ["order.created"], secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
    ];
    expect(await textOf({ webhooks: { endpoints } })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - webhooks: Webhooks require the block \`database\`, and a DATABASE_URL of PostgreSQL for the queue of their jobs."
    `);
    expect(await textOf({ cache: { purge: () => undefined } })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - cache: Purges of a CDN require the block \`database\`, and a DATABASE_URL of PostgreSQL for the queue of their jobs."
    `);
    const directory = path.join(import.meta.dirname, "projects/workshop");
    await expect(create({}, { directory })).rejects.toThrow(
      "- jobs/add-order.job: Jobs require the block `database`, and a DATABASE_URL of PostgreSQL for the queue of their jobs.",
    );
  });

  it("prevents startup if nothing uses it", async () => {
    const textWith = (config: object) =>
      textOf(
        {
          database: {
            client: () => ({ order: {}, note: {}, change: {}, changePosition: {}, $disconnect: async () => undefined }),
            models: workshop,
          },
          models: { Order: { changes: true } },
          ...config,
        },
        {},
        { DATABASE_URL },
      );
    expect(await textWith({ webhooks: {} })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - webhooks: There are no endpoints. Add webhooks.endpoints, or the model Webhook: npx service generate webhooks."
    `);
    expect(await textWith({ cache: { purge: () => undefined } })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - cache: No model has public responses and recorded changes. Set cache: { public: true } and changes: true in the configuration of a model."
    `);
    expect(
      await textWith({
        cache: { purge: () => undefined },
        models: { Order: { changes: true }, Note: { cache: { public: true, maxAge: 60 } } },
      }),
    ).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - cache: No model has public responses and recorded changes. Set cache: { public: true } and changes: true in the configuration of a model."
    `);
    expect(
      await textWith({
        cache: { purge: () => undefined },
        models: { Order: { changes: true, cache: { public: true, maxAge: 60 } } },
      }),
    ).toMatchInlineSnapshot(`"It started."`);
  });
});

describe("C49 the block idempotency", () => {
  it("prevents startup without the model or Redis that stores keys", async () => {
    const model = { ...notes.models[0], name: "IdempotencyKeys" };
    const database = {
      client: () => ({ note: {}, idempotencyKeys: {}, $disconnect: async () => undefined }),
      models: { ...notes, models: [...notes.models, model] },
    };
    expect(await textOf({ idempotency: {} })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - idempotency: requires a model IdempotencyKey in the schema, or store: "redis"."
    `);
    expect(await textOf({ idempotency: {}, database }, {}, { DATABASE_URL })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - idempotency: requires a model IdempotencyKey in the schema, or store: "redis". Did you mean the model IdempotencyKeys?"
    `);
    expect(await textOf({ idempotency: { store: "redis" } })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - idempotency: is "redis", but Redis is not configured: set redis.url (REDIS_URL)."
    `);
    expect(await textOf({})).toBe("It started.");
  });
});

it("C122 replicas require a client for each of them", async () => {
  const database = {
    client: () => ({ note: {}, $disconnect: async () => undefined }),
    models: notes,
    replicas: ["postgresql://localhost:2/none"],
  };
  expect(await textOf({ database }, {}, { DATABASE_URL })).toMatchInlineSnapshot(`
    "The service cannot start (1 error):
      - database.replicas: requires a database.client that passes its adapter on: ({ adapter }) => new PrismaClient({ adapter })."
  `);
});

describe("C38 models", () => {
  const environment = { DATABASE_URL, JWT_SECRET: "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e" };
  const client = () => ({ user: {}, album: {}, picture: {}, $disconnect: async () => undefined });

  it("that cannot be read are the only error, because the keys of their configuration are unknown", async () => {
    const config = { database: { client, models: { format: 99 } }, models: { Note: {}, auth: { hook: {} } } };
    expect(await textOf(config, {}, environment)).toMatch(
      /^The service cannot start \(1 error\):\n {2}- models: this is not the output of servicekit-prisma\./,
    );
  });

  it("have roles of fields that a user can have", async () => {
    const authentication = { mode: "static", login: { allowedUsernames: ["username"] } };
    const textWith = (fields: object) => {
      const models = { Picture: { auth: { findMany: true, fields } } };
      return textOf({ database: { client, models: gallery }, authentication, models }, {}, environment);
    };
    expect(await textWith({ "*": ["title"], VIEWER: ["mood"] })).toBe("It started.");
    expect(await textWith({ "*": ["title"], VIEWR: ["mood"] })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - models.Picture.auth.fields: Unknown role VIEWR. Did you mean VIEWER?"
    `);
  });

  it("C12 have the schemas of their modules, which must be schemas", async () => {
    const file = "src/modules/album/album.schemas.mjs";
    const zod = `import { z } from "${import.meta.resolve("zod")}";`;
    const schema = `${zod} export const create = z.object({ name: z.string().min(3, "Too short.") });`;
    const database = { client: client as never, models: gallery };
    const directory = project({ [file]: schema });
    const { app } = await create({ database }, { directory, environment: { NODE_ENV: "test", DATABASE_URL } });
    const { status, body } = await request(app).post("/api/albums").send({ name: "a" });
    expect([status, body.errors]).toMatchObject([400, [{ path: "/name", message: "Too short." }]]);
    expect(await textOf({ database }, { [file]: "export const create = 1;" }, environment)).toContain(
      "album.schemas.mjs (create): Expected a Zod schema or a class with class-validator decorators, found 1.",
    );
  });
});

it("C38 a database.client that returns no client prevents startup", async () => {
  for (const [made, found] of [
    [undefined, "nothing"],
    [null, "null"],
    ["client", '"client" (text)'],
    [Promise.resolve({}), "a promise"],
  ])
    expect(await textOf({ database: { client: () => made, models: notes } }, {}, { DATABASE_URL })).toContain(
      `- database.client: The function returned ${found} in place of a Prisma client. Expected ({ adapter }) => new PrismaClient({ adapter }).`,
    );
});
