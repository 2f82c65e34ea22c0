import { createRequire } from "node:module";
import path from "node:path";
import { type DataModel, toModelsData } from "@servicekit/orm/generator";
import { afterEach, expect, it } from "vitest";
import { makeSchema } from "./make-schema.js";
import { makeStarter } from "./start.js";

const { create: start, closeAll } = makeStarter();
afterEach(closeAll);

const requireFromOrm = createRequire(path.join(import.meta.dirname, "../../orm/package.json"));
const { get_dmmf: getDmmf } = requireFromOrm("@prisma/prisma-schema-wasm") as { get_dmmf(input: string): string };

/** The document of a service of so many generated models; it asks no database. */
async function documentOf(count: number) {
  const schema = makeSchema(7, count);
  const dataModel = JSON.parse(getDmmf(JSON.stringify({ prismaSchema: [["schema.prisma", schema]] }))) as DataModel;
  const models = toModelsData(dataModel, schema);
  // Delegates of every model, and a client that is closed without a word.
  const known: Record<string, unknown> = { _activeProvider: "postgresql", $disconnect: () => Promise.resolve() };
  const client = () => new Proxy(known, { get: (_, name) => known[String(name)] ?? {} });
  const environment = { NODE_ENV: "test", DATABASE_URL: "postgresql://localhost:1/nowhere" };
  const service = await start({ database: { models, client: client as never } }, { environment });
  return service.openapi();
}

/** Bytes of the document for each of its operations. */
async function bytesOfRoute(count: number): Promise<number> {
  const document = await documentOf(count);
  const operations = Object.values(document.paths).flatMap((path) => Object.keys(path));
  return Buffer.byteLength(JSON.stringify(document)) / operations.length;
}

// What all models share weighs less in each route, the more models there are.
it.each([
  [15, 2250],
  [81, 1900],
])("C65 F25 of %i models, a route takes less than %i bytes of the document", async (count, most) => {
  expect(await bytesOfRoute(count)).toBeLessThan(most);
});
