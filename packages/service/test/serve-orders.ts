import path from "node:path";
import { inject } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import type { DatabaseConfig, ServiceInitConfig } from "../src/config/service-config.js";
import { PrismaClient } from "./generated/idempotency/client/client.js";
import { models } from "./generated/idempotency/models.js";
import { makeStarter } from "./start.js";

/** The tested part of a response. */
export interface Reported {
  readonly status: number;
  readonly text: string;
  readonly replayed: string | null;
  readonly headers: Headers;
}

/** Only the engine of the database. */
interface OrdersConfig extends Omit<ServiceInitConfig, "database"> {
  readonly database?: Pick<DatabaseConfig, "engine">;
}

/** Starts services for orders, with separate databases. */
export function makeOrders() {
  const starter = makeStarter();
  const drops: (() => Promise<void>)[] = [];
  return {
    logText: starter.logText,
    close: async (): Promise<void> => {
      await starter.closeAll();
      for (const drop of drops.splice(0)) await drop();
    },
    start: async (config: OrdersConfig = {}, variables: Readonly<Record<string, string>> = {}) => {
      const fixture = path.join(import.meta.dirname, "fixtures/idempotency");
      const { url, drop } = await createPushedDatabase(inject("postgresUrl"), fixture);
      drops.push(drop);
      const service = await starter.init(
        {
          middlewares: { rateLimit: { limit: 100_000 } },
          ...config,
          database: { models, client: ({ adapter }) => new PrismaClient({ adapter }), ...config.database },
        },
        { environment: { NODE_ENV: "test", DATABASE_URL: url, ...variables } },
      );
      const rows = async (model: string, where: Readonly<Record<string, unknown>> = {}): Promise<number> =>
        (await service.database?.of(model).count({ where })) ?? 0;
      return { ...service, rows, call: requesting(service.url) };
    },
  };
}

/** Sends one request, with an optional key. */
const requesting =
  (url: string) =>
  async (
    method: string,
    target: string,
    body?: unknown,
    headers: Readonly<Record<string, string | undefined>> = {},
  ): Promise<Reported> => {
    const given = Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined);
    const response = await fetch(`${url}/api/${target}`, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...Object.fromEntries(given) },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const replayed = response.headers.get("idempotency-replayed");
    return { status: response.status, text: await response.text(), replayed, headers: response.headers };
  };
