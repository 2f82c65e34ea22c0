import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { type Database, type DatabaseSettings, type Models, makeDatabase } from "@servicekit/prisma";
import { makePostgresAdapter } from "@servicekit/prisma/postgres";
import {
  type AuthenticationConfig,
  type Caller,
  callerOf,
  makeApp,
  makeBodyParserStep,
  makeQueryParserStep,
  makeServer,
  makeValidationStep,
  mountRoutes,
  type RouteStep,
} from "@servicekit/router";
import { setCaller } from "@servicekit/router/internal";
import type { Request, RequestHandler } from "express";
import { chosenWays } from "../../../scripts/test/chosen-ways.js";
import { withAdapter } from "../../../scripts/test/client-adapter.js";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import {
  defaultModelRouterSettings,
  type ModelAccess,
  type ModelRouterSettings,
  makeModelRouter,
} from "../src/index.js";
import { computedModels } from "../src/resource/config/computed-models.js";
import { configuredModels } from "../src/resource/config/configured-models.js";
import { PrismaClient } from "./generated/shelf/client/client.js";
import { shelfModels } from "./shelf.js";

/** Every part of a response that a client can read. */
export interface RawResponse {
  readonly status: number;
  readonly text: string;
  readonly etag: string | undefined;
  readonly link: string | undefined;
  readonly location: string | undefined;
}

/** The caller: `undefined` for an anonymous one, a list of roles for a user, `"root"` for a superuser. */
export type Who = readonly string[] | "root" | undefined;

/** Generated routes over a database of books, for callers of every kind. */
export interface Guarded {
  readonly port: number;
  readonly logged: unknown[];
  /** What each route declares under `authentication`; routes that declare nothing are missing. */
  readonly declared: ReadonlyMap<string, unknown>;
  /** @param body JSON text as a buffer, or a value */
  call(method: string, path: string, body?: unknown, who?: Who, headers?: Record<string, string>): Promise<RawResponse>;
  stop(): Promise<void>;
}

/** A separate database, which several services may use. */
export interface World {
  /** What hooks may use. */
  readonly database: Database;
  sql<Row extends object = Record<string, unknown>>(text: string, ...values: unknown[]): Promise<Row[]>;
  statements(work: () => Promise<unknown>): Promise<string[]>;
  serve(settings: Partial<ModelRouterSettings>, isSignedIn?: boolean): Promise<Guarded>;
  close(): Promise<void>;
}

export async function makeWorld(
  serverUrl: string,
  waysOf: (client: object, models: Models) => Pick<DatabaseSettings, "executor" | "maxBytes"> = chosenWays,
): Promise<World> {
  const created = await createPushedDatabase(serverUrl, path.join(import.meta.dirname, "fixtures/shelf/schema"));
  const adapter = makePostgresAdapter({ url: created.url, timeouts: { poolWaitMs: 20_000, statementMs: 20_000 } });
  const client = withAdapter(new PrismaClient({ adapter, log: [{ emit: "event", level: "query" }] }), adapter);
  let received: string[] = [];
  client.$on("query", ({ query }) => received.push(query));
  const served: Guarded[] = [];
  const makeOwn = (models: Models): Database =>
    makeDatabase({ client, models, schema: "public", poolWaitMs: 20_000, ...waysOf(client, models) });
  await client.$queryRawUnsafe("SELECT 1");
  return {
    database: makeOwn(shelfModels),
    sql: (text, ...values) => client.$queryRawUnsafe(text, ...values),
    statements: async (work) => {
      received = [];
      await work();
      return received;
    },
    serve: async (settings, isSignedIn = false) => {
      const computed = computedModels(shelfModels, settings.models ?? {}, () => []);
      const models = configuredModels(computed, settings.models ?? {});
      const one = await serveGuarded(makeOwn(models), settings, isSignedIn);
      served.push(one);
      return one;
    },
    close: async () => {
      await Promise.all(served.map((one) => one.stop()));
      await client.$disconnect();
      await created.drop();
    },
  };
}

/** Roles as authentication checks them in static mode. */
function evaluate(request: Request, access: AuthenticationConfig): boolean {
  const caller = callerOf(request);
  if (access === false || caller?.isSuperUser === true) return true;
  if (caller === undefined) return false;
  if (access === true) return true;
  const { rule } = access;
  const roles: readonly string[] =
    rule === undefined ? [] : Array.isArray(rule) ? rule : (rule as { roles: readonly string[] }).roles;
  return roles.some((role) => role === "*" || caller.roles.includes(role));
}

const rightsByRoles = new Map<string, object>();

/** Some of its results are asynchronous, like those of stored permissions. */
const roleAccess: ModelAccess = {
  rightsOf: (request) => {
    const caller = callerOf(request);
    const text = JSON.stringify([caller?.isSuperUser, caller?.roles]);
    const rights = rightsByRoles.get(text) ?? {};
    rightsByRoles.set(text, rights);
    return rights;
  },
  allows: (request, access) => {
    const reply = evaluate(request, access);
    return typeof access === "object" && access.resource === "writer" ? Promise.resolve(reply) : reply;
  },
};

const authentication: RouteStep = {
  key: "authentication",
  handlers: (value) => [
    (request, response, next) => {
      if (value === undefined || evaluate(request, value as AuthenticationConfig)) return next();
      response.status(callerOf(request) === undefined ? 401 : 403).json({ status: "rejected" });
    },
  ],
};

async function serveGuarded(
  database: Database,
  settings: Partial<ModelRouterSettings>,
  isSignedIn: boolean,
): Promise<Guarded> {
  const logged: unknown[] = [];
  const app = makeApp();
  const sign: RequestHandler = (request, _response, next) => {
    const who = request.headers["x-who"];
    if (typeof who === "string") {
      const roles = who === "root" ? [] : (JSON.parse(who) as string[]);
      const caller: Caller = { id: 1, roles, isSuperUser: who === "root", user: { id: 1 } };
      setCaller(request, caller);
    }
    next();
  };
  const router = makeModelRouter({
    models: database.models,
    database,
    users: undefined,
    settings: { ...defaultModelRouterSettings, ...settings },
    ...(isSignedIn ? { access: roleAccess } : {}),
  });
  app.use(sign);
  const routes = mountRoutes(app, {
    global: [makeBodyParserStep(), makeQueryParserStep()],
    route: [authentication, makeValidationStep()],
    mount: () => app.use("/api", router as never),
    log: (error) => logged.push(error),
  });
  const server: http.Server = makeServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const agent = new http.Agent({ keepAlive: true, maxSockets: 40 });
  const { port } = server.address() as AddressInfo;
  const declared = new Map(
    routes
      .table()
      .entries.flatMap(({ method, path: at, route }) =>
        route?.config.authentication === undefined ? [] : [[`${method} ${at}`, route.config.authentication] as const],
      ),
  );
  return {
    port,
    logged,
    declared,
    call: (method, target, body, who, headers = {}) => send(agent, port, method, `/api${target}`, body, who, headers),
    stop: async () => {
      agent.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}

function send(
  agent: http.Agent,
  port: number,
  method: string,
  target: string,
  body: unknown,
  who: Who,
  more: Record<string, string>,
): Promise<RawResponse> {
  const text = body === undefined || Buffer.isBuffer(body) ? body?.toString() : JSON.stringify(body);
  const headers: Record<string, string> = {
    ...more,
    ...(who === undefined ? {} : { "x-who": who === "root" ? who : JSON.stringify(who) }),
    ...(text === undefined
      ? {}
      : { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) }),
  };
  return new Promise((resolve, reject) => {
    const request = http.request({ agent, port, host: "127.0.0.1", method, path: target, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const { etag, link, location } = response.headers;
        const complete = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, text: complete, etag, link: String(link), location });
      });
    });
    request.on("error", reject);
    request.end(text);
  });
}
