import path from "node:path";
import { createDatabase, pushSchema } from "@servicekit/dev-database";
import type { ModelConfig } from "@servicekit/service";
import { afterEach, beforeEach, expect, inject, it } from "vitest";
import { z } from "zod";
import { PrismaClient } from "../../../../packages/service/test/generated/notes/client/client.js";
import { models } from "../../../../packages/service/test/generated/notes/models.js";
import { makeStarter } from "../../../../packages/service/test/start.js";

type Sql = NonNullable<NonNullable<ModelConfig["computed"]>[string]["sql"]>;

const { init, closeAll, logged } = makeStarter();
let created: Awaited<ReturnType<typeof createDatabase>>;
beforeEach(async () => {
  created = await createDatabase(inject("postgresUrl"));
});
afterEach(async () => {
  await closeAll();
  await created.drop();
});

const createTables = () =>
  pushSchema(created.url, {
    directory: path.join(import.meta.dirname, "../../../../packages/service/test/fixtures/notes"),
  });

const start = (fields: Readonly<Record<string, Sql>>) =>
  init(
    {
      models: {
        Note: {
          computed: Object.fromEntries(
            Object.entries(fields).map(([name, sql]) => [
              name,
              { type: z.string(), needs: ["text"], compute: ({ text }) => String(text), sql },
            ]),
          ),
        },
      },
      database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) },
    },
    { environment: { NODE_ENV: "test", DATABASE_URL: created.url } },
  );

it("C102 SQL of computed fields that the database rejects is a startup error for each of them", async () => {
  await createTables();
  const failed = await start({
    loud: ({ column, sql }) => sql`upperr(${column("text")})`,
    shifted: ({ column, sql }) => sql`${column("text")} + interval '1 day'`,
    none: ({ sql }) => sql`1 / 0`,
    quiet: ({ column, sql }) => sql`lower(${column("text")})`,
  }).catch((error: Error) => error.message);
  expect(failed).toMatch(/models\.Note\.computed\.loud\.sql: PostgreSQL rejects it: function upperr\(text\) does not/);
  expect(failed).toContain("models.Note.computed.shifted.sql: PostgreSQL rejects it: ");
  expect(failed).toContain("models.Note.computed.none.sql: PostgreSQL rejects it: division by zero.");
  expect(failed).not.toContain("quiet");
});

it("C102 a service starts with SQL that fails only for some rows, and before its tables exist", async () => {
  const perLetter: Sql = ({ column, sql }) => sql`1 / length(${column("text")})`;
  await start({ perLetter });
  await createTables();
  await start({ perLetter });
  expect(logged().filter(({ msg }) => String(msg).includes("rejects"))).toEqual([]);
});
