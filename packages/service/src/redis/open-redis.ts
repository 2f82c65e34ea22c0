import { namesOf, type OptionalPackages, startTimeLimit, whenMissing } from "@servicekit/core/internal";
import type { Logger } from "pino";
import type { RedisClientType } from "redis";

/** The package for services with Redis. */
export const redisPackages: OptionalPackages = { names: ["redis", "rate-limit-redis"], purpose: "Redis" };

/** A Redis that several instances of a service share. */
export interface Redis {
  /** Sends one command; rejects immediately while Redis is unavailable, and after a time limit. */
  send(...command: string[]): Promise<unknown>;
  /** Whether the connection is open and no response is overdue. */
  isUp(): boolean;
  /** Logs that Redis is unavailable, once a minute for all callers. */
  readonly reportUnavailable: (error: unknown) => void;
  close(): Promise<void>;
}

/** Runs a command, such as `GET`, inside a wrapper. */
export type AroundCommand = <Result>(command: string, run: () => Promise<Result>) => Promise<Result>;

/** The timeouts of Redis, in milliseconds. */
export interface RedisTimes {
  /** For one command, in which this process runs: a request waits for it. @default 500 */
  readonly command?: number;
  /** Between two pings on an idle connection. @default 5000 */
  readonly ping?: number;
  /** For any byte, before the connection is considered dead and reopened. @default 15000 */
  readonly silence?: number;
}

/** The maximum pause between two attempts to reconnect, in milliseconds. */
const maxBackoffMs = 2_000;
/** Maximum number of pending commands: further ones are rejected, so that memory is limited. */
const maxCommands = 1_000;
/** The interval in which the log reports that Redis is unavailable, in milliseconds. */
const reportIntervalMs = 60_000;

/**
 * Connects in the background, and again when the connection is lost. Nothing waits for Redis: while it is unavailable
 * the service continues without it, and logs that once a minute.
 *
 * @throws {StartupError} if the client is not installed
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
    commandsQueueMaxLength: maxCommands,
    pingInterval,
    socket: {
      connectTimeout: 2_000,
      socketTimeout,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, maxBackoffMs),
    },
  }) as RedisClientType;
  const absence = reportAbsence(logger);
  client.on("error", absence.isAway);
  client.on("ready", absence.isBack);
  // It ends only when the client is closed: until then it reconnects.
  client.connect().catch(() => undefined);

  let overdue = 0;
  const send = (...command: string[]): Promise<unknown> => {
    // Responses arrive in the order of the commands: while one is overdue, waiting for another is useless.
    if (overdue > 0) return Promise.reject(new Error("Redis is unavailable."));
    const response = client.sendCommand(command);
    return new Promise((resolve, reject) => {
      const stop = startTimeLimit(commandMs, () => {
        const error = new Error(`Redis did not respond within ${commandMs} ms.`);
        overdue++;
        absence.isAway(error);
        const settle = (): void => {
          overdue--;
        };
        response.then(absence.isBack, () => undefined).finally(settle);
        reject(error);
      });
      // The error of a command after its time limit has no receiver.
      response.then(resolve, reject).finally(stop);
    });
  };
  return {
    send: around === undefined ? send : (...command) => around(command[0] ?? "", () => send(...command)),
    isUp: () => client.isReady && overdue === 0,
    reportUnavailable: absence.isAway,
    close: async () => {
      client.removeAllListeners("error");
      client.on("error", () => undefined);
      // A connection that is being opened is destroyed only once it is open.
      client.on("connect", () => client.destroy());
      client.destroy();
    },
  };
}

interface Absence {
  readonly isAway: (error: unknown) => void;
  readonly isBack: () => void;
}

/** Logs that Redis is unavailable, once a minute, and once that it is available again. */
function reportAbsence(logger: Logger): Absence {
  let reportedAt: number | undefined;
  return {
    isAway: (error) => {
      if (reportedAt !== undefined && performance.now() - reportedAt < reportIntervalMs) return;
      reportedAt = performance.now();
      logger.error({ err: error }, "Redis is unavailable: the service continues without it");
    },
    isBack: () => {
      if (reportedAt !== undefined) logger.info("Redis is available again");
      reportedAt = undefined;
    },
  };
}
