import { StartupError } from "@servicekit/core";
import { type Connections, type Database } from "@servicekit/prisma";
import {
  type ReplicaServer,
  type ReplicaState,
  type ReplicatedDatabase,
  withReplicas,
} from "@servicekit/prisma/internal";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";
import { type Consistency, makeConsistency } from "../replicas/consistency.js";
import { makeConsistencyTokens } from "../replicas/consistency-token.js";

/** The replicas of a database. */
export interface OpenReplicas {
  /** The primary, whose `reads` the replicas serve. */
  readonly database: Database;
  readonly withClient: ReplicatedDatabase["withClient"];
  readonly consistency: Consistency;
  readonly states: () => readonly ReplicaState[];
  /** Waits until each replica that is read from has replayed what was committed before. */
  readonly replayed: () => Promise<void>;
}

/** What replicas are opened with. */
export interface ReplicaContext {
  readonly settings: ServiceSettings;
  readonly primary: Database;
  /** Those of the primary. */
  readonly connections: Connections;
  /** Opens the database at another URL. */
  readonly open: (url: string) => Promise<Omit<ReplicaServer, "name"> & { readonly usesAdapter: boolean }>;
  readonly logger: Logger;
}

/** The default of `database.maxLagMs`. */
export const defaultMaxLagMs = 5_000;

/**
 * Opens the replicas of `database.replicas`; none of them has to be reachable.
 *
 * @returns `undefined` without any
 * @throws {StartupError} if `database.client` does not use its adapter
 */
export async function openReplicas(context: ReplicaContext): Promise<OpenReplicas | undefined> {
  const { settings, primary, connections, open, logger } = context;
  const { replicas: urls = [], maxLagMs = defaultMaxLagMs } = settings.database ?? {};
  if (urls.length === 0) return undefined;
  const servers = await Promise.all(urls.map(async (url) => ({ name: nameOf(url), ...(await open(url)) })));
  if (servers.some(({ usesAdapter }) => !usesAdapter)) {
    const message =
      "requires a database.client that passes its adapter on: ({ adapter }) => new PrismaClient({ adapter }).";
    throw new StartupError([{ where: "database.replicas", message }]);
  }
  let consistency: Consistency | undefined;
  const session = () => consistency?.session();
  const { database, withClient, position, replayed, states } = withReplicas({
    ...{ primary, connections, replicas: servers, maxLagMs, session },
    log: { info: logger.info.bind(logger), warn: logger.warn.bind(logger) },
  });
  consistency = makeConsistency({
    tokens: makeConsistencyTokens(settings.databaseUrl ?? "", maxLagMs),
    cookie: cookieOf(settings),
    position,
  });
  return { database, withClient, consistency, replayed, states };
}

/** The host and the database, without the credentials. */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/** As for the access token, which the same pages send. */
function cookieOf({ authentication, nodeEnv }: ServiceSettings) {
  const { secure = nodeEnv === "production", sameSite = "lax" } = authentication?.jwt.cookie ?? {};
  return { secure, sameSite } as const;
}
