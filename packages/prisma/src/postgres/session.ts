import type { Client } from "pg";

/** What every session says before it is asked anything: names of PostgreSQL's settings and their values. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * Prisma's adapter takes the wall clock of every `timestamptz` for UTC, whatever zone the session has. And PostgreSQL
 * takes a filter of many alternatives for expensive and compiles it first, which takes far longer than the query itself:
 * without that it stays under the time limit of a statement. The URL may say `-c jit=on` all the same.
 */
export function sessionSettings(url: string, statementMs: number): SessionSettings {
  const given = new URL(url).searchParams.get("options") ?? "";
  return {
    TimeZone: "UTC",
    statement_timeout: String(statementMs),
    ...(/\bjit\s*=/.test(given) ? {} : { jit: "off" }),
  };
}

/** SQL that sets them for the session or until the transaction ends. */
const callsOf = (settings: SessionSettings, isLocal: boolean): string =>
  Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', ${isLocal})`)
    .join(", ");

/** One statement that sets them until the transaction ends. */
export const setLocally = (settings: SessionSettings): string => `SELECT ${callsOf(settings, true)}`;

/** What `BEGIN` becomes; a `SELECT` would fix the isolation level, which is set next. */
export const beginLocally = (settings: SessionSettings): string =>
  ["BEGIN", ...Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = '${value}'`)].join("; ");

/**
 * Sets the session of a connection that is PostgreSQL's own. A pooler such as PgBouncer hands a client's transactions to
 * one session after another, and what is set in one stays there for others; it is known by the process that it claims to
 * be, which is not the one that answers.
 *
 * @returns whether there is a pooler in between: then nothing was set
 */
export async function beginSession(client: Client, settings: SessionSettings): Promise<boolean> {
  const { processID } = client as Client & { readonly processID: number | null };
  const text = `SELECT ${callsOf(settings, false)} WHERE pg_backend_pid() = $1`;
  return (await client.query(text, [processID ?? 0])).rows.length === 0;
}
