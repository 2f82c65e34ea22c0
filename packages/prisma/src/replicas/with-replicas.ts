import { setTimeout as sleep } from "node:timers/promises";
import { isHttpError } from "@servicekit/core";
import type { Connections } from "../database/connections.js";
import type { Delegate } from "../database/delegate.js";
import { isRead } from "../database/executor.js";
import type { Database } from "../database/make-database.js";
import type { PrismaHandle } from "../database/prisma-client-like.js";
import { readFailure } from "../errors/database-failure.js";
import { databaseError } from "../errors/to-http-error.js";
import { makePrimaryPosition } from "./primary-position.js";
import { Replica, type ReplicaServer, type ReplicaState } from "./replica.js";
import { makeRotation } from "./rotation.js";
import { WalHistory } from "./wal-history.js";
import type { WalPosition } from "./wal-position.js";

/** Options of `withReplicas`. */
export interface ReplicaSettings {
  readonly primary: Database;
  /** Those of the adapter of the primary. */
  readonly connections: Connections;
  readonly replicas: readonly ReplicaServer[];
  /** A replica that is further behind, in milliseconds, is not read from. */
  readonly maxLagMs: number;
  /** The reads to which the running code belongs; `undefined` for reads of their own, which may be as old as allowed. */
  readonly session: () => ReadSession | undefined;
  readonly log: ReplicaLog;
}

/** Reads that belong together, such as those of a request: they use one server as long as it is usable. */
export interface ReadSession {
  /** What the reads must contain: everything before a position, or everything (`"latest"`). */
  readonly needed: WalPosition | "latest";
}

/** Receives the changes of the rotation. */
export interface ReplicaLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** A database whose reads replicas serve. */
export interface ReplicatedDatabase {
  /** The primary; its `reads` are served by the replicas. */
  readonly database: Database;
  /** Runs reads of the application with the Prisma client of the server that is read from. */
  withClient<T>(work: (client: PrismaHandle) => PromiseLike<T>): Promise<T>;
  /**
   * Queries a position that contains everything that was committed before the call. Concurrent calls share a query.
   *
   * @throws if the primary does not respond
   */
  position(): Promise<WalPosition>;
  /**
   * Waits until each replica that is read from has replayed what was committed before the call. It does not wait for a
   * replica that lags too much, and not while the primary is unavailable.
   */
  replayed(): Promise<void>;
  states(): readonly ReplicaState[];
}

/** PostgreSQL's code for a write on a standby. */
const readOnlyTransaction = "25006";
const toPrimary = Promise.resolve(undefined);

/** The pause between two checks, in milliseconds. */
const checkIntervalMs = 500;
/** How long a read waits for a replica with the client's own writes, in milliseconds. */
const maxWaitMs = 100;
/** The pause between two checks of a waiting read, in milliseconds. */
const pauseMs = 3;
/**
 * Distributes the reads of a database over its replicas: each to the one with the fewest running reads that contains
 * what the read needs. Writes and transactions use the primary, and so do all reads while no replica is usable and
 * reads that fail on a replica. The replicas are checked until the database is disconnected.
 */
export function withReplicas(settings: ReplicaSettings): ReplicatedDatabase {
  const { primary, connections, maxLagMs, log } = settings;
  const history = new WalHistory();
  const report = (replica: Replica, err: unknown): void => {
    const { name, issue, lagMs } = replica;
    if (issue === undefined) log.info({ replica: name }, "the replica is in the rotation");
    else if (issue === "writable") log.warn({ replica: name }, "the replica accepts writes, so it is not read from");
    else if (issue === "lagging") log.warn({ replica: name, lagMs, maxLagMs }, "the replica lags: it is not read from");
    else log.warn({ replica: name, err }, "the replica is unavailable: it is not read from");
  };
  let isClosed = false;
  const replicas = settings.replicas.map((server) => new Replica(server, history, maxLagMs, report));
  const pick = makeRotation(replicas);

  const position = makePrimaryPosition(connections, history);
  const replayed = async (): Promise<void> => {
    const target = await position().catch(() => undefined);
    if (target === undefined) return;
    for (;;) {
      const behind = replicas.filter((replica) => replica.isInRotation && replica.position < target.flushed);
      if (behind.length === 0 || isClosed) return;
      await Promise.all(behind.map((replica) => replica.check()));
      await sleep(pauseMs);
    }
  };

  const search = async (required: WalPosition): Promise<Replica | undefined> => {
    const deadline = performance.now() + maxWaitMs;
    for (;;) {
      const found = pick(required);
      if (found !== undefined) return found;
      const candidates = replicas.filter(({ isInRotation }) => isInRotation);
      const left = deadline - performance.now();
      if (candidates.length === 0 || left <= 0) return undefined;
      await Promise.race([sleep(left), ...candidates.map((replica) => replica.check())]);
      if (pick(required) === undefined) await sleep(pauseMs);
    }
  };
  /** The server of each session; `undefined` for the primary. */
  const chosen = new WeakMap<ReadSession, Promise<Replica | undefined>>();
  const choose = (session: ReadSession | undefined): Promise<Replica | undefined> => {
    if (session === undefined) return search(0n);
    let choice = chosen.get(session);
    if (choice === undefined) {
      choice = session.needed === "latest" ? toPrimary : search(session.needed);
      chosen.set(session, choice);
    }
    return choice;
  };
  const route = async <T>(read: (database: Database) => Promise<T>): Promise<T> => {
    const session = settings.session();
    const replica = await choose(session);
    if (replica?.isInRotation === true) {
      try {
        return await replica.run(read);
      } catch (error) {
        if (!isOfServer(isHttpError(error) ? error : databaseError(error, { operation: "read" }))) throw error;
        void replica.check();
      }
    }
    if (session !== undefined) chosen.set(session, toPrimary);
    return read(primary);
  };

  const withClient: ReplicatedDatabase["withClient"] = (work) =>
    route(async ({ client }) => {
      try {
        return await work(client);
      } catch (cause) {
        if (readFailure(cause)?.sqlState !== readOnlyTransaction) throw cause;
        throw new TypeError("The work of read.run writes, which a replica rejects. Use the client of the context.", {
          cause,
        });
      }
    });

  let timer: NodeJS.Timeout | undefined;
  const checkAll = async (): Promise<void> => {
    await position().catch(() => undefined);
    await Promise.all(replicas.map((replica) => replica.check()));
    if (!isClosed) timer = setTimeout(checkAll, checkIntervalMs).unref();
  };
  void checkAll();

  const made = new Map<string, Delegate>();
  const of: Database["of"] = (model) => {
    const name = typeof model === "string" ? model : model.name;
    const known = made.get(name);
    if (known !== undefined) return known;
    const delegate = routed(primary.of(name), name, route);
    made.set(name, delegate);
    return delegate;
  };
  const reads: Database = Object.freeze({
    ...primary,
    get reads() {
      return reads;
    },
    of,
  });
  const database: Database = Object.freeze({
    ...primary,
    reads,
    disconnect: async () => {
      isClosed = true;
      clearTimeout(timer);
      await Promise.all([primary.disconnect(), ...replicas.map((replica) => replica.close())]);
    },
  });
  return { database, withClient, position: async () => (await position()).committed, replayed, states: () => replicas };
}

/** The delegate of the primary, with its reads routed. */
function routed(
  own: Delegate,
  name: string,
  route: <T>(read: (database: Database) => Promise<T>) => Promise<T>,
): Delegate {
  return Object.freeze<Delegate>({
    ...own,
    execute: (query, seen) =>
      isRead(query) ? route(({ of }) => of(name).execute(query, seen)) : own.execute(query, seen),
    findMany: (args) => route(({ of }) => of(name).findMany(args)),
    findFirst: (args) => route(({ of }) => of(name).findFirst(args)),
    findUnique: (args) => route(({ of }) => of(name).findUnique(args)),
    count: (args) => route(({ of }) => of(name).count(args)),
  });
}

/**
 * Whether the replica is the cause of an error, as when it is unreachable, lacks a migration, or cancels a query that
 * conflicts with its replay; not for a query that took too long.
 */
function isOfServer(error: unknown): boolean {
  if (!isHttpError(error) || readFailure(error.cause)?.sqlState === "57014") return false;
  return error.status >= 500 || error.code === "WriteConflict";
}
