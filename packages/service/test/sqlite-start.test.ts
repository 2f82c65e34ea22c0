import type { ModelsData } from "@servicekit/prisma";
import { describe, expect, it } from "vitest";
import { createService } from "../src/create-service.js";
import { alone } from "./start.js";

const schema = {
  format: 1,
  provider: "sqlite",
  enums: [],
  models: [
    {
      name: "Invoice",
      fields: [
        { kind: "scalar", type: "BigInt", name: "id", default: { function: "autoincrement" } },
        { kind: "scalar", type: "Decimal", name: "total" },
        { kind: "scalar", type: "String", name: "text" },
      ],
      keys: [{ kind: "id", fields: ["id"] }],
    },
  ],
} as const satisfies ModelsData;

const start = (models: object, url: string | undefined, more: object = {}, others: object = {}) =>
  createService(
    { database: { models: schema, client: () => ({}) as never, ...more }, models: models as never, ...others },
    { ...alone, environment: { NODE_ENV: "test", ...(url === undefined ? {} : { DATABASE_URL: url }) } },
  ).then(
    () => "started",
    (error: Error) => error.message,
  );

describe("C113 what SQLite does not offer", () => {
  it("C113 is one line each at startup, with what to do", async () => {
    const models = { Invoice: { search: { mode: "fullText", fields: ["text"] }, changes: true } };
    expect((await start(models, "file:./none.db")).split("\n").sort()).toEqual([
      "  - model Invoice, field id: is a BigInt, which SQLite does not count up. Make it an Int.",
      "  - model Invoice, field total: is a Decimal, which SQLite rounds. Store it as an Int or a BigInt in the smallest unit, or as a String.",
      "  - models.Invoice.changes: SQLite does not number transactions, so changes are not recorded. Remove it.",
      "  - models.Invoice.search: SQLite has no index for it. Remove it: `search` then reads the text fields.",
      "The service cannot start (4 errors):",
    ]);
  });

  it("C112, C113 is the block webhooks", async () => {
    const issues = (await start({}, "file:./none.db", {}, { webhooks: {} })).split("\n");
    expect(issues).toContain("  - webhooks: SQLite records no changes to send. Remove the block.");
    expect(issues.filter((issue) => issue.includes("models.Invoice"))).toEqual([]);
  });

  it("C38, C113 is a URL of another provider, or none", async () => {
    expect(await start({}, "postgresql://localhost/a")).toContain(
      "DATABASE_URL: is not the URL of an SQLite file. Expected a URL such as file:./dev.db.",
    );
    expect(await start({}, "dev.db")).toContain("DATABASE_URL: is not the URL of an SQLite file.");
    expect(await start({}, undefined)).toContain("Expected a URL such as file:./dev.db.");
    const client = { models: { ...schema, provider: undefined } };
    expect(await start({}, "file:./dev.db", client)).toContain("DATABASE_URL: is not a PostgreSQL URL.");
  });
});
