import path from "node:path";
import { expect, inject, it } from "vitest";
import { runReadme } from "../../../scripts/test/run-readme.js";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";

it("the first snippet of the README prints what it says", async () => {
  const tests = path.join(import.meta.dirname, "../../model-router/test");
  const { url, drop } = await createPushedDatabase(inject("postgresUrl"), path.join(tests, "fixtures/blog"));
  try {
    const { printed, told } = await runReadme(import.meta.dirname, () => ({
      '"@servicekit/row-writer"': '"../../src/index.js"',
      "./generated/prisma/client.js": `${tests}/generated/blog/client/client.js`,
      "./generated/service/models.js": `${tests}/generated/blog/models.js`,
      "process.env.DATABASE_URL": JSON.stringify(url),
    }));
    expect(printed).toBe(told);
  } finally {
    await drop();
  }
});
