import { setTimeout as delay } from "node:timers/promises";
import { StartupError } from "@servicekit/core";
import pg from "pg";
import { withClient } from "../databases/with-client.js";
import { findPostmaster, type Postmaster } from "./postmaster.js";

/** Connects as the superuser `postgres`. */
export function serverUrl(port: number): string {
  return `postgresql://postgres@127.0.0.1:${port}/postgres`;
}

/**
 * Returns the running server of the cluster when it responds; `undefined` if none runs. It waits for a server that is
 * starting or stopping, and for a killed one that has not exited yet.
 *
 * @throws StartupError if it neither responds nor exits.
 */
export async function findServer(cluster: string): Promise<Postmaster | undefined> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const postmaster = findPostmaster(cluster);
    if (postmaster === undefined) return undefined;
    if (postmaster.ready && (await responds(postmaster.port))) return postmaster;
    if (Date.now() > deadline) {
      const message = `The server (process ${postmaster.pid}) has neither responded nor exited for 30 seconds.`;
      throw new StartupError([{ where: cluster, message }]);
    }
    await delay(20);
  }
}

/** SQLSTATE "cannot connect now": the server is starting or stopping. */
const cannotConnectNow = "57P03";

async function responds(port: number): Promise<boolean> {
  const limits = { connectionTimeoutMillis: 2_000, query_timeout: 2_000 };
  try {
    await withClient(serverUrl(port), (client) => client.query("SELECT 1"), limits);
    return true;
  } catch (error) {
    // Every other error message, such as too many connections, is also a response.
    return error instanceof pg.DatabaseError && error.code !== cannotConnectNow;
  }
}
