import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { createDatabase, pushSchema } from "@servicekit/dev-database";
import { makeDatabase, readModels } from "@servicekit/orm";
import {
  bindRoutes,
  makeApp,
  makeBodyParserStep,
  makeErrorHandler,
  makeNotFound,
  makeQueryParserStep,
  makeServer,
  makeValidationStep,
} from "@servicekit/router";
import { defaultModelRouterSettings, type ModelRouterSettings, makeModelRouter } from "../src/index.js";
import { PrismaClient } from "./generated/blog/client/client.js";
import { models as data } from "./generated/blog/models.js";

/** What a test reads of an answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
  readonly body: any;
}

/** A blog over a database of its own, served over HTTP. */
export interface Blog {
  readonly client: PrismaClient;
  readonly url: string;
  /** Errors that the error handler was told of. */
  readonly logged: unknown[];
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  close(): Promise<void>;
}

export async function startBlog(serverUrl: string, settings: Partial<ModelRouterSettings> = {}): Promise<Blog> {
  const created = await createDatabase(serverUrl);
  await pushSchema(created.url, { directory: path.join(import.meta.dirname, "fixtures/blog") });
  const client = new PrismaClient({ adapter: new PrismaPg({ connectionString: created.url }) });
  const models = readModels(data);
  const database = makeDatabase({ client, models });
  const logged: unknown[] = [];
  const app = makeApp();
  const routes = bindRoutes(app, {
    global: [makeBodyParserStep(), makeQueryParserStep()],
    route: [makeValidationStep()],
  });
  app.use(routes.match, routes.afterUse);
  app.use(
    "/api",
    makeModelRouter({ models, database, settings: { ...defaultModelRouterSettings, ...settings } }) as never,
  );
  app.use(makeNotFound(routes.table()), makeErrorHandler({ log: (error) => logged.push(error) }));
  routes.check();
  const server: http.Server = makeServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
  return {
    client,
    url,
    logged,
    call: (method, target, body) => call(method, `${url}${target}`, body),
    close: async () => {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      await client.$disconnect();
      await created.drop();
    },
  };
}

/** A string body is sent as it is. The path is sent as it is too: `fetch` would mend it. */
function call(method: string, url: string, body?: unknown): Promise<Answer> {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const { hostname, port } = new URL(url);
  const target = url.slice(url.indexOf("/", 8));
  const headers: Record<string, string> =
    text === undefined
      ? {}
      : { "content-type": "application/json", "content-length": String(Buffer.byteLength(text as string)) };
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, method, path: target, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const answer = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(response.headers as Record<string, string>),
          body: answer === "" ? undefined : JSON.parse(answer),
        });
      });
    });
    request.on("error", reject);
    request.end(text);
  });
}
