import path from "node:path";
import { readModels } from "@servicekit/prisma";
import { makePostgresAdapter } from "@servicekit/prisma/postgres";
import { withAdapter } from "../../../scripts/test/client-adapter.js";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import type { ModelConfig, ModelRouterSettings } from "../src/index.js";
import { PrismaClient } from "./generated/blog/client/client.js";
import { models as data } from "./generated/blog/models.js";
import { type Served, serveModels } from "./serve-models.js";

/** A blog with a separate database, served over HTTP. */
export interface Blog extends Served {
  readonly client: PrismaClient;
  close(): Promise<void>;
}

export async function startBlog(serverUrl: string, settings: Partial<ModelRouterSettings> = {}): Promise<Blog> {
  const created = await createPushedDatabase(serverUrl, path.join(import.meta.dirname, "fixtures/blog"));
  const adapter = makePostgresAdapter({ url: created.url });
  const client = withAdapter(new PrismaClient({ adapter }), adapter);
  const served = await serveModels(client, readModels(data), settings);
  return {
    ...served,
    client,
    close: async () => {
      await served.stop();
      await client.$disconnect();
      await created.drop();
    },
  };
}

/** Serves the same database with a configuration of the model Post, for the duration of the work. */
export async function withPost<T>(
  { client }: Blog,
  Post: ModelConfig,
  work: (served: Served) => Promise<T>,
): Promise<T> {
  const served = await serveModels(client, readModels(data), { models: { Post } });
  try {
    return await work(served);
  } finally {
    await served.stop();
  }
}
