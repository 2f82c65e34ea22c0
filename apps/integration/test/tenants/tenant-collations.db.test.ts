import { afterEach, describe, expect, it } from "vitest";
import { providers, type TestedProvider } from "../../../../scripts/test/provider-database.js";
import { makeOrders } from "../idempotency/serve-orders.js";

const customers = (column: string): readonly string[] => [
  `CREATE TABLE other (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, city ${column})`,
  'DROP TABLE "Customer"',
  'ALTER TABLE other RENAME TO "Customer"',
];
const mysql = (column: string): readonly string[] => [`ALTER TABLE Customer MODIFY city ${column}`];

/** Statements that change the column of the tenant, and the reason that the start reports. */
const inexact: Readonly<Record<TestedProvider, readonly (readonly [string, readonly string[]])[]>> = {
  postgresql: [
    ["the type citext", ["CREATE EXTENSION citext", 'ALTER TABLE "Customer" ALTER city TYPE citext']],
    [
      "the type citext",
      [
        "CREATE EXTENSION citext",
        "CREATE DOMAIN place AS citext",
        "CREATE DOMAIN town AS place",
        'ALTER TABLE "Customer" ALTER city TYPE town',
      ],
    ],
    ["the type char", ['ALTER TABLE "Customer" ALTER city TYPE char(9)']],
    [
      "the collation loose",
      [
        "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)",
        'ALTER TABLE "Customer" ALTER city TYPE text COLLATE loose',
      ],
    ],
  ],
  sqlite: [
    ["the collation NOCASE", customers("TEXT COLLATE NOCASE")],
    ["the collation RTRIM", customers("TEXT COLLATE RTRIM")],
  ],
  mysql: [
    ["the collation utf8mb4_general_ci", mysql("VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")],
    ["the collation utf8mb4_unicode_ci", mysql("TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci")],
    ["the collation utf8mb4_bin", mysql("VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")],
    ["the collation latin1_swedish_ci", mysql("VARCHAR(191) CHARACTER SET latin1 COLLATE latin1_swedish_ci")],
  ],
};

const exact: Readonly<Record<TestedProvider, readonly string[]>> = {
  postgresql: ['ALTER TABLE "Customer" ALTER city TYPE varchar(40) COLLATE "C"'],
  sqlite: customers("TEXT COLLATE BINARY"),
  mysql: [],
};

const config = {
  authentication: { mode: "static", login: { allowedUsernames: ["email"] } },
  tenant: { field: "city", of: () => "ab", shared: ["Order", "User"] },
  models: { Customer: { auth: { findMany: true } } },
} as const;
const variables = { JWT_SECRET: "0123456789abcdef0123456789abcdef" };

describe.each(providers)("C148 a tenant of text on %s", (provider) => {
  const orders = makeOrders(provider);
  afterEach(() => orders.close());

  /** Starts a service without tenants, changes its tables, and returns its URL. */
  const change = async (statements: readonly string[]) => {
    const service = await orders.start();
    for (const sql of statements) await service.run(sql);
    return { ...variables, DATABASE_URL: service.config.databaseUrl ?? "" };
  };

  it.each(inexact[provider])("prevents startup if its column has %s", async (reason, statements) => {
    const environment = await change(statements);
    const message = `Customer.city has ${reason}, in which different texts are equal`;
    await expect(orders.start(config, environment)).rejects.toThrow(message);
  });

  it("starts if its column compares exactly", async () => {
    const { rows } = await orders.start(config, await change(exact[provider]));
    expect(await rows("Customer")).toBe(0);
  });
});
