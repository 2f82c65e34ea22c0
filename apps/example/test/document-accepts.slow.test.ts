import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { serveSchema } from "../../../packages/service/test/served-schema.js";
import { generateFixtures } from "../../../scripts/test/generate-fixtures.js";
import { drawn, oneOf } from "../../../scripts/test/slow-share.js";
import { makeSchema } from "../../integration/test/schemas/make-schema.js";
import { type DocumentedApi, requestAsDocumented } from "./document/request-as-documented.js";
import { shapes } from "./document/shapes.js";
import { startShop } from "./shop.js";

const generated = path.join(import.meta.dirname, "generated");

interface Served extends DocumentedApi {
  close(): Promise<void>;
}

async function serveText(name: string, text: string, views?: { before?: string; after?: string }): Promise<Served> {
  const output = path.join(generated, name);
  const schema = path.join(output, "schema.prisma");
  fs.mkdirSync(output, { recursive: true });
  fs.writeFileSync(schema, text);
  await generateFixtures([{ label: name, schema, files: [["schema.prisma", text]], output }]);
  const served = await serveSchema(inject("postgresUrl"), { generated: output, schema: text, ...views });
  return { url: served.service.url, close: served.close };
}

const seed = Number(process.env.SERVICEKIT_SEED ?? 7);
const services: readonly (readonly [name: string, serve: () => Promise<Served>])[] = [
  ["the example", startShop],
  [
    "every shape of a schema",
    () => serveText("shapes", shapes, { after: `CREATE VIEW "Quiet" AS SELECT id, title FROM "Ticket"` }),
  ],
  [`a generated schema (seed ${seed})`, () => serveText(`accepts-${seed}`, makeSchema(seed, 16))],
];

describe.each(oneOf(services))("C65 the document of %s", (_name, serve) => {
  let served: Served;
  beforeAll(async () => {
    served = await serve();
  });
  afterAll(() => served?.close());

  it("describes accepted requests, and valid responses", { timeout: 900_000 }, async () => {
    const { issues, requests, accepted } = await requestAsDocumented(served, { seed, runs: drawn(4) });
    expect(issues).toEqual([]);
    expect(accepted).toBeGreaterThan(requests / 10);
    console.info(`${requests} requests, ${accepted} of them executed`);
  });
});
