import { setTimeout as delay } from "node:timers/promises";
import { StartError } from "@servicekit/core";
import pg from "pg";
import { withClient } from "../databases/with-client.js";
import { findPostmaster, type Postmaster } from "./postmaster.js";

/** Connects as the superuser `postgres`. */
export function serverUrl(port: number): string {
  return `postgresql://postgres@127.0.0.1:${port}/postgres`;
}

/**
 * The server that runs on the cluster, once it answers; `undefined` when none runs. One that is starting or stopping is
 * waited for, as is one that has been killed and whose process is not quite gone.
 *
 * @throws StartError when it neither answers nor goes away.
 */
export async function findServer(cluster: string): Promise<Postmaster | undefined> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const postmaster = findPostmaster(cluster);
    if (postmaster === undefined) return undefined;
    if (postmaster.ready && (await answers(postmaster.port))) return postmaster;
    if (Date.now() > deadline) {
      const message = `The server (process ${postmaster.pid}) has neither answered nor ended for half a minute.`;
      throw new StartError([{ where: cluster, message }]);
    }
    await delay(20);
  }
}

/** SQLSTATE "cannot connect now": the server is starting or stopping. */
const cannotConnectNow = "57P03";

async function answers(port: number): Promise<boolean> {
  const limits = { connectionTimeoutMillis: 2_000, query_timeout: 2_000 };
  try {
    await withClient(serverUrl(port), (client) => client.query("SELECT 1"), limits);
    return true;
  } catch (error) {
    // Every other refusal in words, such as too many connections, is an answer too.
    return error instanceof pg.DatabaseError && error.code !== cannotConnectNow;
  }
}
