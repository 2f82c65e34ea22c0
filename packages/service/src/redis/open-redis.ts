import type { Logger } from "pino";
import type { RedisClientType } from "redis";

/** A Redis that several instances of a service share. */
export interface Redis {
  /** Sends one command; rejects at once while Redis is away, and after a time limit when it does not answer. */
  send(...command: string[]): Promise<unknown>;
  close(): Promise<void>;
}

/** Milliseconds that one command may take: a request waits for it. */
const commandMs = 500;
/** The longest pause between two tries to reconnect, in milliseconds. */
const mostBackOffMs = 2_000;

/**
 * Connects in the background, and again whenever the link is lost. Nothing waits for Redis: while it is away the service
 * goes on without it, and the log says so once for each absence.
 */
export async function openRedis(url: string, logger: Logger): Promise<Redis> {
  const { createClient } = await import("redis");
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: 2_000, reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, mostBackOffMs) },
  }) as RedisClientType;
  let isAway = false;
  client.on("error", (error: Error) => {
    if (!isAway) logger.error({ err: error }, "Redis is away: the service goes on without it");
    isAway = true;
  });
  client.on("ready", () => {
    if (isAway) logger.info("Redis is back");
    isAway = false;
  });
  // It ends only when the client is closed: until then it tries again.
  client.connect().catch(() => undefined);
  return {
    send: (...command) => withTimeLimit(client.sendCommand(command)),
    close: async () => {
      client.removeAllListeners("error");
      client.on("error", () => undefined);
      client.destroy();
    },
  };
}

async function withTimeLimit<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  // A command that fails after the time limit has nobody left to tell.
  answer.catch(() => undefined);
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`Redis did not answer within ${commandMs} ms.`)), commandMs);
  });
  try {
    return await Promise.race([answer, limit]);
  } finally {
    clearTimeout(timer);
  }
}
