import { expect, inject, it } from "vitest";
import { createService } from "../src/create-service.js";
import { PrismaClient } from "./generated/sqlserver/client/client.js";
import { models } from "./generated/sqlserver/models.js";
import { alone } from "./start.js";

const line =
  'servicekit supports PostgreSQL, MySQL, MariaDB and SQLite, and the datasource of the schema has the provider "sqlserver".';

it("C77 rejects a client of another database at startup, in one line", async () => {
  const environment = { NODE_ENV: "test", DATABASE_URL: inject("postgresUrl") };
  const made = createService(
    { database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) } },
    { ...alone, environment },
  );
  await expect(made).rejects.toThrow(`The service cannot start (1 error):\n  - database.client: ${line}`);
  const client = new PrismaClient({ accelerateUrl: "prisma://localhost/?api_key=none" });
  const given = createService({ database: { models, client } }, { ...alone, environment });
  await expect(given).rejects.toThrow(`The service cannot start (1 error):\n  - the Prisma client: ${line}`);
});
