import { setImmediate } from "node:timers/promises";
import { expect } from "vitest";
import { PrismaClient } from "./generated/static/client/client.js";
import { models } from "./generated/static/models.js";
import { type Opened, openFixture, type Served, type ServeOptions, serveAuth } from "./serve-auth.js";

export const alice = { username: "alice", email: "alice@example.com", password: "correct horse" };

/** Authentication on a database with one user. */
export interface WithAlice {
  readonly opened: Opened<PrismaClient>;
  readonly served: Served;
  /** Another service on the same database, until the end of the first. */
  serve(options?: Partial<ServeOptions>): Promise<Served>;
  /** Resets the database to alice's original row, and clears emails and logs. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

export async function startWithAlice(postgresUrl: string): Promise<WithAlice> {
  const opened = await openFixture(postgresUrl, "static", models, (options): PrismaClient => new PrismaClient(options));
  const all: Served[] = [];
  const serve: WithAlice["serve"] = async (options = {}) => {
    const one = await serveAuth({ database: opened.database, ...options });
    all.push(one);
    return one;
  };
  const served = await serve();
  return {
    opened,
    served,
    serve,
    renew: async () => {
      await opened.client.note.deleteMany();
      await opened.client.profile.deleteMany();
      await opened.client.user.deleteMany();
      const response = await served.api.post("/api/auth/signup").send(alice);
      expect(response.status, JSON.stringify(response.body)).toBe(201);
      await settle();
      served.mails.length = 0;
      served.logged.length = 0;
    },
    close: async () => {
      for (const one of all) await one.stop();
      await opened.close();
    },
  };
}

export const login = (at: Served, username = "alice", password = alice.password) =>
  at.api.post("/api/auth/login").send({ username, password });

export async function tokenOf(at: Served, username = "alice", password = alice.password): Promise<string> {
  const response = await login(at, username, password);
  expect(response.status, JSON.stringify(response.body)).toBe(200);
  return response.body.accessToken;
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Waits until the mails of the completed requests are sent: the service sends them in the next turn of the event loop. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await setImmediate();
}

/** The token of the last email. */
export async function mailedToken(at: Served): Promise<string> {
  await settle();
  return at.mails.at(-1)?.text.split("\n\n")[1] ?? "";
}
