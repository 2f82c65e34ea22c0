import path from "node:path";
import { createDatabase, pushSchema } from "@servicekit/dev-database";
import { afterEach, expect, inject, it } from "vitest";
import { PrismaClient } from "./generated/notes/client/client.js";
import { models } from "./generated/notes/models.js";
import { makeStarter } from "./start.js";

const { init, closeAll, logged } = makeStarter();
afterEach(closeAll);

it("F41 C41 a database without tables is not ready, and the log names them; with them it is", async () => {
  const created = await createDatabase(inject("postgresUrl"));
  try {
    const { url } = await init(
      { database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) } },
      { environment: { NODE_ENV: "test", DATABASE_URL: created.url } },
    );
    const ready = async () => (await fetch(`${url}/api/health/ready`)).status;
    expect(await ready()).toBe(503);
    const told = logged().filter(({ msg }) => msg === "not ready");
    expect(told).toEqual([
      expect.objectContaining({
        check: "database",
        err: expect.objectContaining({ message: expect.stringMatching(/has no public\.Note: a migration is missing/) }),
      }),
    ]);
    await pushSchema(created.url, { directory: path.join(import.meta.dirname, "fixtures/notes") });
    await expect.poll(ready).toBe(200);
  } finally {
    await closeAll();
    await created.drop();
  }
});
