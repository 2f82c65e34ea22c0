import { PrismaClient } from "./generated/sessions/client/client.js";
import { models } from "./generated/sessions/models.js";
import { type Opened, openFixture, type Served, type ServeOptions, serveAuth } from "./serve-auth.js";

export const alice = { username: "alice", email: "alice@example.com", password: "correct horse" };
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Authentication on a database that keeps sessions. */
export interface WithSessions {
  readonly opened: Opened<PrismaClient>;
  /** Another service on the same database, which lives as long as this. */
  serve(options?: Partial<ServeOptions>): Promise<Served>;
  /** Leaves alice alone in the database, with nobody signed in. */
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

/** What somebody who has signed in holds. */
export interface Held {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAt: string;
  readonly refreshExpiresAt: string;
}

export async function signIn(at: Served, { username, password } = alice): Promise<Held> {
  const answer = await at.api.post("/api/auth/login").set("user-agent", "test").send({ username, password });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

export const refresh = (at: Served, refreshToken: string) => at.api.post("/api/auth/refresh").send({ refreshToken });

/** What a token is answered with where one has to be signed in. */
export const statusOf = async (at: Served, token: string): Promise<number> =>
  (await at.api.get("/api/signed-in").set(bearer(token))).status;

/** The cookies that an answer sets, by name, each with what it says besides. */
export function cookiesOf(answer: { headers: Record<string, unknown> }): Record<string, string> {
  const set = (answer.headers["set-cookie"] ?? []) as readonly string[];
  return Object.fromEntries(set.map((cookie) => [cookie.slice(0, cookie.indexOf("=")), cookie]));
}
