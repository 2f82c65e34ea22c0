import { PrismaPg } from "@prisma/adapter-pg";
import type { Client, Pool } from "pg";
import type { PoolState } from "../database/connections.js";
import { boundPool } from "./bound-pool.js";
import { dropper } from "./drop-connections.js";
import { type SessionOptions, sessionClient } from "./session-client.js";

/** The options of a pool that Prisma's adapter creates. */
export interface PoolConfig {
  readonly connectionString: string;
  readonly max: number;
  readonly keepAlive: boolean;
  readonly idleTimeoutMillis?: number;
  readonly application_name?: string;
}

/** The sessions of a pool. */
export type PoolSessions = Omit<SessionOptions, "onReadOnly">;

/** Opens a pool; only Prisma's adapter can create one with the same `pg`. */
export async function openPool(config: PoolConfig, sessions: PoolSessions): Promise<Pool> {
  const pool = (await new PrismaPg(config).connect()).underlyingDriver();
  bindPool(pool, sessions);
  return pool;
}

/**
 * Makes a pool open the given sessions, and limits its users to its connections.
 *
 * @returns its load
 */
export function bindPool(pool: Pool, sessions: PoolSessions): () => PoolState {
  // Its types lack the class of its connections.
  const open = pool as Pool & { Client: typeof Client };
  open.Client = sessionClient(open.Client, { ...sessions, onReadOnly: dropper(pool) });
  const turns = boundPool(pool, pool.options.max, sessions.connectMs);
  return () => ({ size: pool.options.max, ...turns(), idle: pool.idleCount });
}
