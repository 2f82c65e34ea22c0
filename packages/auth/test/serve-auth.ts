import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { type ModelsData, makeDatabase, type PrismaClientLike, readModels, type StoredField } from "@servicekit/prisma";
import {
  callerOf,
  makeApp,
  makeBodyParserStep,
  makeQueryParserStep,
  makeRateLimitStep,
  makeServer,
  makeValidationStep,
  mountRoutes,
  ServiceRouter,
} from "@servicekit/router";
import request from "supertest";
import { z } from "zod";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import { type Auth, type AuthConfig, type AuthOptions, makeAuth, readAuthSettings } from "../src/index.js";

export const secret = "a secret of tests that has more than thirty-two bytes";

/** The schema of a field, sufficient for the fixtures. */
export function fieldSchema(field: StoredField): z.ZodType {
  const kinds: Record<string, z.ZodType> = { String: z.string(), Boolean: z.boolean(), Int: z.int() };
  const schema = kinds[field.type] ?? z.unknown();
  return field.isRequired ? schema : schema.nullable();
}

/** Allows every attempt of a test; the tests of limits set their own. */
const noLimit = { windowMs: 1000, limit: 100_000 };

export function settingsOf(config: Partial<AuthConfig> = {}, nodeEnv = "test") {
  return readAuthSettings(
    { mode: "static", rateLimit: noLimit, password: { cost: 4 }, ...config, jwt: { secret, ...config.jwt } },
    { nodeEnv },
  );
}

export interface Mailed {
  readonly to: { readonly address: string };
  readonly subject: string;
  readonly text: string;
}

export interface Opened<Client> {
  readonly client: Client;
  readonly database: ReturnType<typeof makeDatabase>;
  /** The SQL sent by Prisma. */
  readonly statements: string[];
  close(): Promise<void>;
}

/** A database with the schema of a fixture. */
export async function openFixture<Client extends PrismaClientLike>(
  serverUrl: string,
  name: string,
  data: ModelsData,
  makeClient: (options: never) => Client,
): Promise<Opened<Client>> {
  const created = await createPushedDatabase(serverUrl, path.join(import.meta.dirname, "fixtures", name));
  const adapter = new PrismaPg({ connectionString: created.url });
  const client = makeClient({ adapter, log: [{ emit: "event", level: "query" }] } as never);
  const statements: string[] = [];
  const { $on: listen } = client as unknown as { $on(name: string, report: (event: { query: string }) => void): void };
  listen.call(client, "query", ({ query }) => statements.push(query));
  return {
    client,
    statements,
    database: makeDatabase({ client, models: readModels(data), schema: "public" }),
    close: async () => {
      await client.$disconnect();
      await created.drop();
    },
  };
}

export interface Served {
  readonly auth: Auth;
  readonly url: string;
  readonly server: http.Server;
  readonly logged: unknown[];
  readonly mails: Mailed[];
  readonly api: ReturnType<typeof request>;
  stop(): Promise<void>;
}

export interface ServeOptions extends Omit<AuthOptions, "settings" | "mailer"> {
  readonly config?: Partial<AuthConfig>;
  readonly nodeEnv?: string;
  readonly withMailer?: boolean;
  readonly trustProxy?: boolean;
  /** The limit of all other routes. */
  readonly globalLimit?: number;
  readonly mount?: (router: ServiceRouter) => void;
}

/** Serves authentication and a few routes that need it, assembled like the umbrella. */
export async function serveAuth(options: ServeOptions): Promise<Served> {
  const { config, nodeEnv, withMailer = true, trustProxy = false, globalLimit = 100_000, mount, ...rest } = options;
  const logged: unknown[] = [];
  const mails: Mailed[] = [];
  const mailer = { send: async (mail: Mailed) => mails.push(mail) };
  const auth = makeAuth({
    fieldSchema,
    // Everything comes from one address.
    hashing: { waitingPerClient: 100 },
    ...rest,
    settings: settingsOf(config, nodeEnv),
    ...(withMailer ? { mailer } : {}),
    log: (error) => logged.push(error),
  });
  const app = makeApp();
  app.set("trust proxy", trustProxy);
  mountRoutes(app, {
    global: [
      makeRateLimitStep({ windowMs: 60_000, limit: globalLimit }),
      auth.step,
      makeBodyParserStep(),
      makeQueryParserStep(),
    ],
    route: [auth.step, makeValidationStep()],
    mount: () => {
      if (auth.router !== undefined) app.use("/api", auth.router);
      app.use("/api", testRoutes(auth, mount));
    },
    log: (error) => logged.push(error),
  });
  const server = makeServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    auth,
    url,
    server,
    logged,
    mails,
    api: request(server),
    stop: async () => {
      await auth.close();
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}

function testRoutes(auth: Auth, mount: ServeOptions["mount"]): ServiceRouter {
  const router = ServiceRouter();
  const show: http.RequestListener = (req, res) => {
    const caller = callerOf(req as never);
    const user = (req as { user?: { id?: unknown } }).user;
    res.setHeader("content-type", "application/json");
    res.end(
      JSON.stringify({
        id: caller?.id === undefined ? null : String(caller.id),
        roles: caller?.roles,
        userId: String(user?.id),
      }),
    );
  };
  const handler = show as never;
  router.get({ path: "/signed-in", authentication: true }, handler);
  router.post({ path: "/signed-in", authentication: true }, handler);
  router.get({ path: "/edit", authentication: { resource: "page", action: "Edit", rule: ["EDITOR"] } }, handler);
  router.get(
    { path: "/any", authentication: { resource: "page", action: "Read", rule: { roles: ["*"], name: "Read" } } },
    handler,
  );
  router.get({ path: "/closed", authentication: { resource: "page", action: "Close" } }, handler);
  router.patch(
    {
      path: "/checked/:id",
      authentication: { resource: "page", action: "Edit", rule: ["EDITOR"] },
      validation: { body: z.strictObject({ title: z.string() }) },
    },
    handler,
  );
  router.get({ path: "/public" }, handler);
  router.get({ path: "/optional", authentication: "optional" }, handler);
  router.post({ path: "/optional", authentication: "optional" }, handler);
  router.get({ path: "/known" }, auth.identify, handler);
  router.post({ path: "/known" }, auth.identify, handler);
  mount?.(router);
  return router;
}
