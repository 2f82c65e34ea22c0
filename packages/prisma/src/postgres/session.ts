import type { Client } from "pg";
import { serverIssue } from "./foreign-server.js";

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
 * @throws if the server is not PostgreSQL (contract C127)
 */
export async function beginSession(client: Client, settings: SessionSettings): Promise<boolean> {
  const { processID } = client as Client & { readonly processID: number | null };
  // A server of another kind may not have the functions; the condition is false with a pooler.
  const text = `SELECT version(), CASE WHEN pg_backend_pid() = $1 THEN concat(${callsOf(settings, false)}) END AS settings`;
  const { rows } = await client.query<Session>(text, [processID ?? 0]).catch(async (error: Error) => {
    const found = await client.query<Session>("SELECT version()").catch(() => undefined);
    requirePostgres(found?.rows[0]?.version);
    throw error;
  });
  requirePostgres(rows[0]?.version);
  return rows[0]?.settings === null;
}

interface Session {
  readonly version: string;
  readonly settings: string | null;
}

function requirePostgres(version: string | undefined): void {
  const issue = version === undefined ? undefined : serverIssue(version);
  if (issue !== undefined) throw new Error(`Connection terminated: ${issue}`);
}
