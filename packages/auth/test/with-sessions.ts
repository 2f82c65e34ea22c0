import { PrismaClient } from "./generated/sessions/client/client.js";
import { models } from "./generated/sessions/models.js";
import { type Opened, openFixture, type Served, type ServeOptions, serveAuth } from "./serve-auth.js";

export const alice = { username: "alice", email: "alice@example.com", password: "correct horse" };
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Authentication on a database with sessions. */
export interface WithSessions {
  readonly opened: Opened<PrismaClient>;
  /** Another service on the same database, until the end of this one. */
  serve(options?: Partial<ServeOptions>): Promise<Served>;
  /** Resets the database to alice's original row without sessions. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

export async function startWithSessions(postgresUrl: string): Promise<WithSessions> {
  const opened = await openFixture(
    postgresUrl,
    "sessions",
    models,
    (options): PrismaClient => new PrismaClient(options),
  );
  const all: Served[] = [];
  const serve: WithSessions["serve"] = async (options = {}) => {
    const one = await serveAuth({ database: opened.database, ...options });
    all.push(one);
    return one;
  };
  return {
    opened,
    serve,
    renew: async () => {
      await opened.client.user.deleteMany();
      const [first] = all;
      if (first === undefined) throw new Error("Nothing is served yet.");
      await first.api.post("/api/auth/signup").send(alice).expect(201);
      first.logged.length = 0;
    },
    close: async () => {
      for (const one of all) await one.stop();
      await opened.close();
    },
  };
}

/** The credentials of a signed-in client. */
export interface Credentials {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAt: string;
  readonly refreshExpiresAt: string;
}

export async function signIn(at: Served, { username, password } = alice): Promise<Credentials> {
  const response = await at.api.post("/api/auth/login").set("user-agent", "test").send({ username, password });
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
  return response.body;
}

export const refresh = (at: Served, refreshToken: string) => at.api.post("/api/auth/refresh").send({ refreshToken });

/** The response to a token on a route that requires a user. */
export const statusOf = async (at: Served, token: string): Promise<number> =>
  (await at.api.get("/api/signed-in").set(bearer(token))).status;

/** The cookies of a response by name, each with its attributes. */
export function cookiesOf(response: { headers: Record<string, unknown> }): Record<string, string> {
  const set = (response.headers["set-cookie"] ?? []) as readonly string[];
  return Object.fromEntries(set.map((cookie) => [cookie.slice(0, cookie.indexOf("=")), cookie]));
}
