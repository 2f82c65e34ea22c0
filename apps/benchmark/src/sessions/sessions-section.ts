import pg from "pg";
import { fillShop, loadSeed, withAccountsDatabase } from "../logins/with-accounts.js";
import { startChild, withChildren } from "../measure/child.js";
import { httpEffort, type Target } from "../measure/http-subject.js";
import { connections, makeLoadClient } from "../measure/load.js";
import { toRawSubject } from "../measure/raw-subject.js";
import { measureInRounds, type Subject } from "../measure/rounds.js";
import { type Section, showCost } from "../report.js";

const names = ["sessions: with", "sessions: without"] as const;
const processesOfEach = 3;

/**
 * The cost of authenticating a request, with sessions and without (contract C72).
 *
 * @param pinned the environment that pins the serving processes to one processor
 */
export function sessionsSections(pinned: Readonly<Record<string, string>>): Promise<Section[]> {
  return withAccountsDatabase(async ({ url, environment, example }) => {
    await fillShop(url);
    const starts = names.flatMap((name) =>
      Array.from({ length: processesOfEach }, () =>
        startChild("serve.js", [name, example], { ...environment, ...pinned }),
      ),
    );
    return withChildren(starts, async (children) => {
      const serving = children.map((child) => ({ child, client: makeLoadClient(child.ready) }));
      const target = (place: number): Target => ({
        name: names[place] ?? "",
        processes: serving.slice(place * processesOfEach, (place + 1) * processesOfEach),
      });
      const [withSessions, without] = [target(0), target(1)];
      const path = await somePath(serving[0]?.client);
      const subject = async (target: Target, isSignedIn: boolean): Promise<Subject> => {
        const token = isSignedIn ? await signIn(target.processes[0]?.client) : undefined;
        const request = { method: "GET", path, ...(token === undefined ? {} : { token }) } as const;
        return toRawSubject(
          target.name,
          target.processes.map(({ child }) => child),
          () => request,
        );
      };
      const anonymous = await subject(withSessions, false);
      const session = await subject(withSessions, true);
      const token = await subject(without, true);
      const anonymousWithout = await subject(without, false);
      const pool = new pg.Pool({ connectionString: url, max: connections });
      try {
        const read = await oneRead(pool);
        const subjects = [anonymous, session, anonymousWithout, token, read];
        const pairs = [
          [session, anonymous],
          [token, anonymousWithout],
        ] as const;
        const measured = await measureInRounds(subjects, pairs, httpEffort);
        const row = (title: string, one: Subject, than: Subject): string[] => [
          title,
          showCost(measured.cost(than)),
          showCost(measured.cost(one)),
          showCost(measured.difference(one, than)),
        ];
        return [
          {
            title: "Authentication",
            text: "A category by its id, requested without and with an access token. “One indexed read” is one row by its key through `pg`, as a prepared statement.",
            headings: ["", "anonymous, µs", "authenticated, µs", "difference, µs"],
            rows: [
              row("with sessions", session, anonymous),
              row("schema without sessions", token, anonymousWithout),
              ["one indexed read by `pg`", "", "", showCost(measured.cost(read))],
            ],
            rounds: measured.rounds,
          },
        ];
      } finally {
        await pool.end();
        for (const { client } of serving) client.close();
      }
    });
  });
}

type Client = Target["processes"][number]["client"];

async function signIn(client: Client | undefined): Promise<string> {
  const { seedPassword } = await loadSeed();
  const body = JSON.stringify({ username: "ada", password: seedPassword });
  const response = await client?.send({ method: "POST", path: "/api/auth/login", body });
  if (response?.status !== 200) throw new Error(`The login returned ${response?.status}: ${response?.body}`);
  return JSON.parse(response.body).accessToken;
}

async function somePath(client: Client | undefined): Promise<string> {
  const response = await client?.send({ method: "GET", path: "/api/categories?limit=1" });
  const [row] = JSON.parse(response?.body ?? "{}").data ?? [];
  if (row === undefined) throw new Error("The shop has no rows.");
  return `/api/categories/${row.id}`;
}

/** One row of an account by its key, without a service. */
async function oneRead(pool: pg.Pool): Promise<Subject> {
  const text = "SELECT id, expires_at FROM auth_sessions WHERE id = $1";
  const { rows } = await pool.query("SELECT id FROM auth_sessions LIMIT 1");
  const statement = { name: "one-session", text, values: [rows[0]?.id] };
  return {
    name: "one read",
    run: async (count) => {
      let left = count;
      const work = async (): Promise<void> => {
        while (left-- > 0) await pool.query(statement);
      };
      const before = process.cpuUsage();
      await Promise.all(Array.from({ length: connections }, work));
      const { user, system } = process.cpuUsage(before);
      return user + system;
    },
  };
}
