import { createDatabase } from "@servicekit/dev-database";
import type { ModelsData } from "@servicekit/prisma";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { PrismaClient } from "./generated/notes/client/client.js";
import { makeStarter } from "./start.js";

const id = { kind: "scalar", type: "Int", name: "id", default: { function: "autoincrement" } } as const;
const customerId = { kind: "scalar", type: "Int", name: "customerId", isForeignKey: true } as const;
const deletedAt = { kind: "scalar", type: "DateTime", name: "deletedAt", isOptional: true } as const;
const keys = [{ kind: "id", fields: ["id"] }] as const;
const customer = (name: string) =>
  ({
    kind: "relation",
    type: "Customer",
    name: "customer",
    relation: { name, fields: ["customerId"], references: ["id"] },
  }) as const;
/** Customers with one address and many orders each. */
const models: ModelsData = {
  format: 1,
  enums: [],
  models: [
    {
      name: "Customer",
      fields: [
        id,
        { kind: "scalar", type: "String", name: "email" },
        { kind: "scalar", type: "Int", name: "number", column: "no" },
        { ...deletedAt, column: "deleted_at" },
        { kind: "relation", type: "Address", name: "address", isOptional: true, relation: { name: "of" } },
        { kind: "relation", type: "Order", name: "orders", isList: true, relation: { name: "by" } },
      ],
      keys,
    },
    {
      name: "Address",
      fields: [id, customerId, { kind: "scalar", type: "String", name: "line" }, customer("of"), deletedAt],
      keys,
    },
    { name: "Order", table: "orders", schema: "sales", fields: [id, customerId, customer("by"), deletedAt], keys },
    { name: "Note", fields: [id, { kind: "scalar", type: "String", name: "text" }, deletedAt], keys },
  ],
};
const tables = `
  CREATE SCHEMA sales;
  CREATE TABLE "Customer" (id SERIAL PRIMARY KEY, email TEXT, no INT, tenant INT, deleted_at TIMESTAMP);
  CREATE TABLE "Address" (id SERIAL PRIMARY KEY, "customerId" INT, line TEXT, "deletedAt" TIMESTAMP);
  CREATE TABLE sales.orders (id SERIAL PRIMARY KEY, "customerId" INT, "deletedAt" TIMESTAMP);
  CREATE TABLE "Note" (id SERIAL PRIMARY KEY, text TEXT UNIQUE, "deletedAt" TIMESTAMP);
  CREATE UNIQUE INDEX whole ON "Customer" (email, no);
  CREATE UNIQUE INDEX dated ON "Customer" (email, deleted_at);
  CREATE UNIQUE INDEX partial ON "Customer" (email) WHERE deleted_at IS NULL;
  CREATE UNIQUE INDEX unknown ON "Customer" (tenant);
  CREATE UNIQUE INDEX one ON "Address" ("customerId");
  CREATE UNIQUE INDEX wide ON "Address" ("customerId", line);
  CREATE UNIQUE INDEX many ON sales.orders ("customerId");`;

const { init, closeAll, logged } = makeStarter();
let created: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  created = await createDatabase(inject("postgresUrl"));
  const connection = new pg.Client({ connectionString: created.url });
  await connection.connect();
  await connection.query(tables);
  await connection.end();
});
afterEach(closeAll);
afterAll(async () => void (await created?.drop()));

/** Starts a service in which rows of these models are deleted softly. */
const start = (...names: string[]) =>
  init(
    {
      models: Object.fromEntries(names.map((name) => [name, { softDelete: true }])),
      database: {
        models,
        client: ({ adapter }) => {
          const client = new PrismaClient({ adapter });
          // No query of these tests is one of a model.
          return Object.assign(client, { customer: client.note, address: client.note, order: client.note });
        },
      },
    },
    { environment: { NODE_ENV: "test", DATABASE_URL: created.url } },
  );
const warnings = () => logged().flatMap(({ level, msg }) => (level === 40 ? [String(msg)] : []));

describe("C101 unique values that deleted rows occupy", () => {
  it("are reported at startup for each unique index over all rows, with the index that replaces it", async () => {
    await start("Customer", "Address", "Order");
    const problem = (model: string, fields: string, index: string) =>
      `Deleted rows of ${model} occupy their ${fields} (unique index ${index}): new rows cannot have the same values.`;
    const replace = "Replace it by a partial index in a migration: CREATE UNIQUE INDEX";
    await expect
      .poll(() => warnings().sort())
      .toEqual([
        // Prisma finds the row of a one-to-one relation by the foreign key alone.
        `${problem("Address", "customerId", "one")} Restore such a row, or delete it permanently.`,
        `${problem("Address", "customerId, line", "wide")} ${replace} "wide" ON "Address" ("customerId", "line") WHERE "deletedAt" IS NULL;`,
        `${problem("Customer", "email, number", "whole")} ${replace} "whole" ON "Customer" ("email", "no") WHERE "deleted_at" IS NULL;`,
        `${problem("Customer", "tenant", "unknown")} ${replace} "unknown" ON "Customer" ("tenant") WHERE "deleted_at" IS NULL;`,
        `${problem("Order", "customerId", "many")} ${replace} "many" ON "sales"."orders" ("customerId") WHERE "deletedAt" IS NULL;`,
      ]);
  });

  it("are not reported for models whose rows are deleted permanently", async () => {
    await start("Order");
    await expect.poll(warnings).toEqual([expect.stringMatching(/^Deleted rows of Order occupy/)]);
  });
});
