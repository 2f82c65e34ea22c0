import path from "node:path";
import pg from "pg";
import { inject } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import { openReceiver, type Receiver } from "../../webhooks/test/receiver.js";
import type { ServiceInitConfig } from "../src/index.js";
import type { RunningService } from "../src/init-service.js";
import { PrismaClient } from "./generated/webhooks/client/client.js";
import { models } from "./generated/webhooks/models.js";
import { makeStarter } from "./start.js";

export const password = "a long staple of horses";

/** The tested part of a response. */
interface Called {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a response of any form.
  readonly body: any;
  readonly headers: Headers;
}

/** Sends a request as one user. */
export type Call = (
  method: string,
  at: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Called>;

/** The events of orders. */
export const every = ["order.created", "order.updated", "order.deleted"];

/** The configuration of a service with orders and webhooks. */
export const config = (given: ServiceInitConfig = {}): ServiceInitConfig => ({
  middlewares: { rateLimit: false },
  authentication: {
    mode: "static",
    login: { allowedUsernames: ["username"] },
    password: { cost: 4 },
    rateLimit: { limit: 1_000_000 },
  },
  database: { models, client: ({ adapter }) => new PrismaClient({ adapter: adapter as never }) },
  models: { Order: { auth: { all: true }, changes: true }, Webhook: { auth: { all: ["ADMIN"] } } },
  webhooks: { allow: ["127.0.0.1"] },
  ...given,
});

/** Creates a user with a role, and returns its requests. */
export async function callerAt(service: RunningService, role: string, values: object = {}): Promise<Call> {
  const hashed = await service.hashPassword(password);
  await service.database?.of("User").create({ data: { username: role, password: hashed, role, ...values } });
  const login = await fetch(`${service.url}/api/auth/login`, {
    ...{ method: "POST", headers: { "content-type": "application/json" } },
    body: JSON.stringify({ username: role, password }),
  });
  const { accessToken } = (await login.json()) as { accessToken: string };
  return async (method, at, body, headers) => {
    const response = await fetch(`${service.url}/api/${at}`, {
      method,
      headers: {
        authorization: `Bearer ${accessToken}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text), headers: response.headers };
  };
}

/** A service, and the requests of its users. */
interface StartedService {
  readonly service: RunningService;
  /** Creates a user with a role. */
  as(role: string): Promise<Call>;
  asSuperUser(): Promise<Call>;
}

/** Starts services with orders and webhooks, which share a database. */
export function makeWebhookServices() {
  const starter = makeStarter();
  const receivers: Receiver[] = [];
  let created: Awaited<ReturnType<typeof createPushedDatabase>>;
  const environment = () => ({
    environment: { NODE_ENV: "test", JWT_SECRET: "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e", DATABASE_URL: created.url },
  });
  const rowsOf = async (sql: string): Promise<readonly unknown[]> => {
    const connection = new pg.Client({ connectionString: created.url });
    await connection.connect();
    const { rows } = await connection.query(sql);
    await connection.end();
    return rows;
  };
  const query = async (sql: string): Promise<void> => void (await rowsOf(sql));
  return {
    ...starter,
    environment,
    /** The URL of the database. */
    databaseUrl: () => created.url,
    /** Executes SQL in the database. */
    query,
    /** The rows of a query in the database. */
    rowsOf,
    createDatabase: async (): Promise<void> => {
      const schema = path.join(import.meta.dirname, "fixtures/webhooks/schema.prisma");
      created = await createPushedDatabase(inject("postgresUrl"), schema);
    },
    dropDatabase: async (): Promise<void> => void (await created?.drop()),
    receiverOf: async (...args: Parameters<typeof openReceiver>): Promise<Receiver> => {
      const receiver = await openReceiver(...args);
      receivers.push(receiver);
      return receiver;
    },
    start: async (given?: ServiceInitConfig): Promise<StartedService> => {
      const service = await starter.init(config(given), environment());
      return {
        service,
        as: (role) => callerAt(service, role),
        asSuperUser: () => callerAt(service, "operator", { isSuperUser: true }),
      };
    },
    /** Stops the services and receivers, and deletes the rows. */
    clear: async (): Promise<void> => {
      await starter.closeAll();
      for (const receiver of receivers.splice(0)) await receiver.close();
      const tables = ["Webhook", "User", "Order", "Firm", "Change", "IdempotencyKey"];
      // Changes that are not dispatched yet would be sent to the webhooks of the next test. Sequences continue: ids of jobs
      // follow from those of changes.
      await query(tables.map((table) => `DELETE FROM "${table}"`).join("; "));
      const jobs = ["ordered_job", "ordered_group", "ordered_target", "ordered_failed"].map(
        (table) => `DELETE FROM servicekit_jobs.${table};`,
      );
      await query(
        `DO $$ BEGIN IF to_regclass('servicekit_jobs.lease') IS NOT NULL THEN ${jobs.join(" ")} END IF; END $$`,
      );
    },
  };
}
