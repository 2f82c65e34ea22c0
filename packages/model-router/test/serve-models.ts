import http from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Database,
  type DatabaseSettings,
  type Models,
  makeDatabase,
  type PrismaClientLike,
} from "@servicekit/prisma";
import { resultFields } from "@servicekit/prisma/internal";
import {
  type BoundRoutes,
  makeApp,
  makeBodyParserStep,
  makeQueryParserStep,
  makeServer,
  makeValidationStep,
  mountRoutes,
  type RouteStep,
} from "@servicekit/router";
import { chosenWays } from "../../../scripts/test/chosen-ways.js";
import {
  computedModels,
  defaultModelRouterSettings,
  type ModelRouter,
  type ModelRouterOptions,
  type ModelRouterSettings,
  makeModelRouter,
} from "../src/index.js";
import type { UserInfo } from "../src/resource/body/writable-model.js";

/** The users of authentication. */
export const users: UserInfo = {
  model: "User",
  password: "password",
  credentials: ["password", "email"],
  suspending: ["isActive", "deletedAt"],
  administered: [
    "role",
    "roles",
    "isSuperUser",
    "isActive",
    "emailVerified",
    "passwordChangedAt",
    "lastLoginAt",
    "deletedAt",
  ],
};

/** The parts of a response that tests read. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
  readonly body: any;
}

/** Generated routes, served over HTTP. */
export interface Served {
  readonly url: string;
  readonly database: Database;
  /** Errors passed to the error handler. */
  readonly logged: unknown[];
  readonly routes: BoundRoutes;
  readonly router: ModelRouter;
  /** A string body is sent unchanged, any other as JSON. */
  call(method: string, path: string, body?: unknown): Promise<TestResponse>;
  stop(): Promise<void>;
}

/** Serves the models below `/api`, as the umbrella does. */
export async function serveModels(
  client: PrismaClientLike,
  stored: Models,
  settings: Partial<ModelRouterSettings> = {},
  steps: readonly RouteStep[] = [],
  more: Partial<ModelRouterOptions> = {},
  ways?: Pick<DatabaseSettings, "executor">,
): Promise<Served> {
  const models = computedModels(stored, settings.models ?? {}, (model) => resultFields(client, model));
  const waits = { poolWaitMs: 20_000 };
  const database = makeDatabase({
    client,
    models,
    schema: "public",
    ...waits,
    ...(ways ?? chosenWays(client, models)),
  });
  const logged: unknown[] = [];
  const app = makeApp();
  const router = makeModelRouter({
    models,
    database,
    log: (error) => logged.push(error),
    users,
    ...more,
    settings: { ...defaultModelRouterSettings, ...settings },
  });
  const routes = mountRoutes(app, {
    global: [...steps, makeBodyParserStep(), makeQueryParserStep()],
    route: [makeValidationStep()],
    mount: () => app.use("/api", router as never),
    log: (error) => logged.push(error),
  });
  const server: http.Server = makeServer(app);
  // On a busy machine a connection may be idle longer than Node's five seconds, and be closed before the next request.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const agent = new http.Agent({ keepAlive: true, maxSockets: 40 });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
  return {
    url,
    database,
    logged,
    routes,
    router,
    call: (method, target, body) => send(agent, method, `${url}${target}`, body),
    stop: async () => {
      agent.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}

/** The path is sent unchanged; `fetch` would normalize it. */
function send(agent: http.Agent, method: string, url: string, body?: unknown): Promise<TestResponse> {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const { hostname, port } = new URL(url);
  const target = url.slice(url.indexOf("/", 8));
  const headers: Record<string, string> =
    text === undefined
      ? {}
      : { "content-type": "application/json", "content-length": String(Buffer.byteLength(text as string)) };
  return new Promise((resolve, reject) => {
    const request = http.request({ agent, hostname, port, method, path: target, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const reply = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(response.headers as Record<string, string>),
          body: reply === "" ? undefined : JSON.parse(reply),
        });
      });
    });
    request.on("error", reject);
    request.end(text);
  });
}
