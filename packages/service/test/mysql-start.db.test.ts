import { type ModelsData, readModels } from "@servicekit/prisma";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { createMysqlDatabase } from "../../../scripts/test/mysql-database.js";
import { providers } from "../../../scripts/test/provider-database.js";
import { createService } from "../src/create-service.js";
import { PrismaClient } from "./generated/idempotency-mysql/client/client.js";
import { models } from "./generated/idempotency-mysql/models.js";
import { alone, makeStarter } from "./start.js";

const schema = {
  format: 1,
  provider: "mysql",
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

const start = (own: object, url: string, others: object = {}) =>
  createService(
    { database: { models: schema, client: () => ({ invoice: {} }) as never }, models: own as never, ...others },
    { ...alone, environment: { NODE_ENV: "test", DATABASE_URL: url } },
  ).then(
    () => "started",
    (error: Error) => error.message,
  );

const nowhere = "mysql://root@127.0.0.1:1/none";

describe("C119 what MySQL does not offer", () => {
  it("C119 is one line each at startup, with what to do", async () => {
    const own = { Invoice: { search: { mode: "fullText", fields: ["text"] }, changes: true } };
    expect((await start(own, nowhere)).split("\n").sort()).toEqual([
      "  - models.Invoice.changes: MySQL does not number transactions, so changes are not recorded. Remove it.",
      "  - models.Invoice.search: MySQL has no index for it. Remove it: `search` then reads the text fields.",
      "The service cannot start (2 errors):",
    ]);
    expect(await start({}, nowhere, { webhooks: {} })).toContain(
      "  - webhooks: MySQL records no changes to send. Remove the block.",
    );
  });

  it("C38, C119 is a URL of another provider, or one with unknown parameters", async () => {
    expect(await start({}, "postgresql://localhost/a")).toContain(
      "DATABASE_URL: is not a MySQL URL. Expected a URL such as mysql://user:password@localhost:3306/name.",
    );
    expect(await start({}, "mysql://root:secret@localhost/a?ssl=1")).toBe(
      "The service cannot start (1 error):\n  - the environment variable DATABASE_URL: The database URL has the unknown parameter ssl. Known parameters: sslaccept, sslcert, socket, allowPublicKeyRetrieval.",
    );
  });
});

describe.skipIf(!providers.includes("mysql"))("C119 a service on MySQL or MariaDB", () => {
  it("C119 logs the columns whose collation ignores case", async () => {
    const database = await createMysqlDatabase(readModels(models));
    const { init, closeAll } = makeStarter();
    const logged = async (): Promise<string[]> => {
      const lines: string[] = [];
      const logger = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
      await init(
        { logger, database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) } },
        { environment: { NODE_ENV: "test", DATABASE_URL: database.url } },
      );
      return lines.filter((line) => line.includes("without regard to case"));
    };
    try {
      expect(await logged()).toEqual([]);
      await database.run("ALTER TABLE `Order` MODIFY product LONGTEXT COLLATE utf8mb4_general_ci NOT NULL");
      const [line = "{}"] = await logged();
      expect(JSON.parse(line)).toMatchObject({ columns: ["Order.product"] });
    } finally {
      await closeAll();
      await database.drop();
    }
  });
});
