import { createRequire } from "node:module";
import path from "node:path";
import { type DataModel, toModelsData } from "@servicekit/prisma/generator";
import { type ServiceInitConfig, service } from "@servicekit/service";
import { alone } from "../../../../packages/service/test/start.js";

const requireFromPrisma = createRequire(path.join(import.meta.dirname, "../../../../packages/prisma/package.json"));
const { get_dmmf: getDmmf } = requireFromPrisma("@prisma/prisma-schema-wasm") as { get_dmmf(input: string): string };

/** The document of a service with the models of a schema; needs no database. */
export async function generatedDocument(schema: string, directory = import.meta.dirname) {
  const service = await generatedService(schema, {}, directory);
  try {
    return await service.openapi();
  } finally {
    await service.close();
  }
}

/** A service with the models of a schema, for tests that need no database. */
export async function generatedService(schema: string, more: ServiceInitConfig, directory = import.meta.dirname) {
  const dataModel = JSON.parse(getDmmf(JSON.stringify({ prismaSchema: [["schema.prisma", schema]] }))) as DataModel;
  const models = toModelsData(dataModel, schema);
  // Delegates of every model, and a client that closes silently.
  const done = () => Promise.resolve();
  const known: Record<string, unknown> = { _activeProvider: "postgresql", $connect: done, $disconnect: done };
  const client = () => new Proxy(known, { get: (_, name) => known[String(name)] ?? {} });
  const environment = { NODE_ENV: "test", DATABASE_URL: "postgresql://localhost:1/nowhere" };
  const config = { database: { models, client: client as never }, middlewares: { requestLogger: false as const } };
  return service.create({ ...config, ...more }, { ...alone, directory, environment });
}
