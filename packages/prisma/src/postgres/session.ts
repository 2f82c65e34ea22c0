import type { Client } from "pg";

/** The settings of every session: names of PostgreSQL's settings and their values. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * Prisma's adapter reads the local time of every `timestamptz` as UTC, whatever the session's time zone. And PostgreSQL
 * treats a filter of many alternatives as expensive and compiles it first, which takes longer than the query: without
 * that it stays under the time limit of a statement. The URL may still set `-c jit=on`.
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

/** Replaces `BEGIN`; a `SELECT` would fix the isolation level, which is set next. */
export const beginLocally = (settings: SessionSettings): string =>
  ["BEGIN", ...Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = '${value}'`)].join("; ");

/**
 * Configures the session of a direct PostgreSQL connection. A pooler such as PgBouncer distributes a client's
 * transactions over sessions, and settings in one would affect other clients; it is detected by the process id that it
 * reports, which differs from the backend's.
 *
 * @returns whether there is a pooler: then nothing was set
 */
export async function beginSession(client: Client, settings: SessionSettings): Promise<boolean> {
  const { processID } = client as Client & { readonly processID: number | null };
  const text = `SELECT ${callsOf(settings, false)} WHERE pg_backend_pid() = $1`;
  return (await client.query(text, [processID ?? 0])).rows.length === 0;
}
