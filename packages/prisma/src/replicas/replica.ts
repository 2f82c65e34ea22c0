import { withTimeLimit } from "@servicekit/core/internal";
import type { Connections } from "../database/connections.js";
import type { Database } from "../database/make-database.js";
import { ormErrors } from "../errors/orm-errors.js";
import { unavailable } from "../errors/unavailable.js";
import type { WalHistory } from "./wal-history.js";
import { readWalPosition, type WalPosition } from "./wal-position.js";

/** A server with a copy of the database. */
export interface ReplicaServer {
  /** Its name in logs and metrics; without a password. */
  readonly name: string;
  readonly database: Database;
  readonly connections: Connections;
}

/** Why a replica is not used. */
export type ReplicaIssue = "not checked yet" | "unavailable" | "lagging" | "writable";

/** The state of a replica. */
export interface ReplicaState {
  readonly name: string;
  readonly isInRotation: boolean;
  /** Why it is not in the rotation. */
  readonly issue: ReplicaIssue | undefined;
  /** How far it is behind the primary, in milliseconds; that of the last successful check. */
  readonly lagMs: number;
  /** The number of running reads. */
  readonly outstanding: number;
}

/** Maximum duration of a check, in milliseconds. */
const checkMs = 1_000;

const sql = `SELECT pg_is_in_recovery() AS standby, pg_last_wal_replay_lsn()::text AS position,
  coalesce(extract(epoch FROM now() - pg_last_xact_replay_timestamp()) * 1000, 0)::float8 AS age`;

interface Checked {
  readonly standby: boolean;
  readonly position: string | null;
  readonly age: number;
}

/** A replica with its state, which {@link Replica.check} updates. */
export class Replica implements ReplicaState {
  readonly name: string;
  readonly #server: ReplicaServer;
  readonly #history: WalHistory;
  readonly #maxLagMs: number;
  readonly #onChange: (replica: Replica, cause: unknown) => void;
  /** Ends each running read. */
  readonly #running = new Set<(error: unknown) => void>();
  issue: ReplicaIssue | undefined = "not checked yet";
  position: WalPosition = 0n;
  lagMs = 0;
  #checking: Promise<void> | undefined;

  constructor(
    server: ReplicaServer,
    history: WalHistory,
    maxLagMs: number,
    onChange: (replica: Replica, cause: unknown) => void,
  ) {
    this.name = server.name;
    this.#server = server;
    this.#history = history;
    this.#maxLagMs = maxLagMs;
    this.#onChange = onChange;
  }

  get isInRotation(): boolean {
    return this.issue === undefined;
  }

  get outstanding(): number {
    return this.#running.size;
  }

  /** Runs a read, which fails as soon as the replica is found to be unavailable. */
  run<T>(read: (database: Database) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#running.add(reject);
      read(this.#server.database)
        .then(resolve, reject)
        .finally(() => this.#running.delete(reject));
    });
  }

  /** Updates the position and the state. Concurrent calls share one query; it does not fail. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(): Promise<void> {
    const tooLong = () => ormErrors.DatabaseTimeout("The replica did not respond in time.");
    try {
      const [row] = (await withTimeLimit(this.#server.connections.query(sql), checkMs, tooLong)) as Checked[];
      const position = readWalPosition(row?.position);
      if (row?.standby !== true || position === undefined) return this.#become("writable");
      this.position = position;
      this.lagMs = this.#history.lagOf(position, performance.now(), row.age);
      this.#become(this.lagMs > this.#maxLagMs ? "lagging" : undefined);
    } catch (error) {
      this.#become("unavailable", error);
      for (const fail of this.#running) fail(unavailable(error));
    }
  }

  #become(issue: ReplicaIssue | undefined, cause?: unknown): void {
    if (issue === this.issue) return;
    this.issue = issue;
    this.#onChange(this, cause);
  }

  async close(): Promise<void> {
    await this.#server.database.disconnect();
  }
}
