import path from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { runReadme } from "../../../scripts/test/run-readme.js";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";

let created: Awaited<ReturnType<typeof createPushedDatabase>>;
beforeAll(async () => {
  const schema = path.join(import.meta.dirname, "fixtures/orders/schema.prisma");
  created = await createPushedDatabase(inject("postgresUrl"), schema);
});
afterAll(() => created?.drop());

it("the first snippet of the README prints the documented output", async () => {
  const { printed, documented } = await runReadme(import.meta.dirname, () => ({
    '"@servicekit/changes"': '"../../src/index.js"',
    '"./generated/prisma/client.js"': '"../generated/orders/client/client.js"',
    '"./generated/service/models.js"': '"../generated/orders/models.js"',
    'process.env.DATABASE_URL ?? ""': JSON.stringify(created.url),
  }));
  expect(printed).toBe(documented);
});
