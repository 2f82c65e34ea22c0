import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ServiceInitConfig } from "@servicekit/service";
import { afterAll, beforeAll, expect, inject } from "vitest";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { createPushedDatabase } from "../../../../scripts/test/template-database.js";
import { PrismaClient } from "../generated/history/client/client.js";
import { models } from "../generated/history/models.js";

/** The headers of a user. */
export type Credentials = Readonly<Record<string, string>>;

/** Sends requests of a user. */
export type Call = ReturnType<typeof callerAt>;

export function callerAt(url: string) {
  return async (who: Credentials, method: string, at: string, body?: unknown) => {
    const response = await fetch(`${url}/api/${at}`, {
      method,
      headers: { ...who, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
    const parsed: any = text === "" ? undefined : JSON.parse(text);
    return { status: response.status, headers: response.headers, body: parsed, text };
  };
}

const password = "a long staple of horses";

export const historyTables = [
  "purchase orders",
  "Line",
  "Project",
  "Paper",
  "Ticket",
  "User",
  "Organization",
  "Change",
];

/** A database of the fixture `history` for a test file, and services with it. */
export function serveHistories(configured: NonNullable<ServiceInitConfig["models"]>) {
  const uploads = mkdtempSync(path.join(tmpdir(), "history-"));
  const { init, closeAll } = makeStarter();
  let created: Awaited<ReturnType<typeof createPushedDatabase>>;
  let client: PrismaClient;
  beforeAll(async () => {
    created = await createPushedDatabase(
      inject("postgresUrl"),
      new URL("../fixtures/history/schema.prisma", import.meta.url).pathname,
    );
  });
  afterAll(async () => {
    rmSync(uploads, { recursive: true, force: true });
    await created?.drop();
  });
  return {
    closeAll,
    /** The client of the service that was started last. */
    client: () => client,
    start: (engine: "auto" | "prisma", config: ServiceInitConfig = {}) =>
      init(
        {
          fileUpload: { baseUploadDir: uploads },
          middlewares: { rateLimit: { limit: 1_000_000 } },
          authentication: {
            mode: "static",
            login: { allowedUsernames: ["username"] },
            password: { cost: 4 },
            rateLimit: { limit: 1_000_000 },
          },
          database: {
            models,
            engine,
            client: ({ adapter }) => {
              client = new PrismaClient({ adapter: adapter as never });
              return client;
            },
          },
          models: configured,
          ...config,
        },
        {
          environment: {
            NODE_ENV: "test",
            JWT_SECRET: "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e",
            DATABASE_URL: created.url,
          },
        },
      ),
    async signUp(call: Call, username: string, data: object = {}): Promise<Credentials> {
      expect((await call({}, "POST", "auth/signup", { username, password })).status).toBe(201);
      await client.user.update({ where: { username }, data });
      const { accessToken } = (await call({}, "POST", "auth/login", { username, password })).body;
      return { authorization: `Bearer ${accessToken}` };
    },
  };
}
