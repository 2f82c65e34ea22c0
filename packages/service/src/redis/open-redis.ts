import { namesOf, type OptionalPackages, startTimeLimit, whenMissing } from "@servicekit/core/internal";
import type { Logger } from "pino";
import type { RedisClientType } from "redis";

/** What a service with a Redis needs, and no other. */
export const redisPackages: OptionalPackages = { names: ["redis", "rate-limit-redis"], purpose: "Redis" };

/** A Redis that several instances of a service share. */
export interface Redis {
  /** Sends one command; rejects at once while Redis is away, and after a time limit when it does not answer. */
  send(...command: string[]): Promise<unknown>;
  /** Whether the link to Redis stands and no answer is overdue. */
  isUp(): boolean;
  /** Tells in the log that Redis is away, once a minute whoever says it. */
  readonly tellAway: (error: unknown) => void;
  close(): Promise<void>;
}

/** Runs a command, such as `GET`, with something around it. */
export type AroundCommand = <Result>(command: string, run: () => Promise<Result>) => Promise<Result>;

/** How long is waited for Redis, in milliseconds. */
export interface RedisTimes {
  /** For one command, in which this process runs: a request waits for it. @default 500 */
  readonly command?: number;
  /** Between two signs of life on an idle link. @default 5000 */
  readonly ping?: number;
  /** For any byte, before the link is taken for dead and made anew. @default 15000 */
  readonly silence?: number;
}

/** The longest pause between two tries to reconnect, in milliseconds. */
const mostBackOffMs = 2_000;
/** Commands that wait for an answer at a time: what comes on top is refused, so that memory stays bounded. */
const mostCommands = 1_000;
/** How often the log says that Redis is away, in milliseconds. */
const tellEveryMs = 60_000;

/**
 * Connects in the background, and again whenever the link is lost. Nothing waits for Redis: while it is away the service
 * goes on without it, and the log says so once a minute.
 *
 * @throws {StartError} when the client is not installed
 */
export async function openRedis(
  url: string,
  logger: Logger,
  times: RedisTimes = {},
  around?: AroundCommand,
): Promise<Redis> {
  const { command: commandMs = 500, ping: pingInterval = 5_000, silence: socketTimeout = 15_000 } = times;
  const { createClient } = namesOf(await import("redis").catch(whenMissing("redis.url", redisPackages)));
  const client = createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: mostCommands,
    pingInterval,
    socket: {
      connectTimeout: 2_000,
      socketTimeout,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, mostBackOffMs),
    },
  }) as RedisClientType;
  const absence = tellAbsence(logger);
  client.on("error", absence.isAway);
  client.on("ready", absence.isBack);
  // It ends only when the client is closed: until then it tries again.
  client.connect().catch(() => undefined);

  let overdue = 0;
  const send = (...command: string[]): Promise<unknown> => {
    // Answers come in the order of the commands: while one is overdue, waiting for another only costs time.
    if (overdue > 0) return Promise.reject(new Error("Redis does not answer at the moment."));
    const answer = client.sendCommand(command);
    return new Promise((resolve, reject) => {
      const stop = startTimeLimit(commandMs, () => {
        const error = new Error(`Redis did not answer within ${commandMs} ms.`);
        overdue++;
        absence.isAway(error);
        const settle = (): void => {
          overdue--;
        };
        answer.then(absence.isBack, () => undefined).finally(settle);
        reject(error);
      });
      // A command that fails after the time limit has nobody left to tell.
      answer.then(resolve, reject).finally(stop);
    });
  };
  return {
    send: around === undefined ? send : (...command) => around(command[0] ?? "", () => send(...command)),
    isUp: () => client.isReady && overdue === 0,
    tellAway: absence.isAway,
    close: async () => {
      client.removeAllListeners("error");
      client.on("error", () => undefined);
      client.destroy();
    },
  };
}

interface Absence {
  readonly isAway: (error: unknown) => void;
  readonly isBack: () => void;
}

/** Tells in the log that Redis is away, once a minute, and once that it is back. */
function tellAbsence(logger: Logger): Absence {
  let toldAt: number | undefined;
  return {
    isAway: (error) => {
      if (toldAt !== undefined && performance.now() - toldAt < tellEveryMs) return;
      toldAt = performance.now();
      logger.error({ err: error }, "Redis is away: the service goes on without it");
    },
    isBack: () => {
      if (toldAt !== undefined) logger.info("Redis is back");
      toldAt = undefined;
    },
  };
}
