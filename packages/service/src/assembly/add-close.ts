import { setTimeout as wait } from "node:timers/promises";
import { longestTimer } from "@servicekit/core/internal";
import type { Request } from "express";
import { requestInfo } from "../logging/request-logger.js";
import type { ServedService } from "./attach-server.js";
import type { CloseTimes, Service } from "./service.js";

/** A service after the last phase: it can be closed. */
export interface ClosableService extends ServedService {
  readonly close: Service["close"];
}

/** Adds the function that stops the server and closes everything that the first phase opened. */
export function addClose(service: ServedService): ClosableService {
  const { settings, logger, server, connections, state, features, background, feed } = service;
  const delayEnd = new AbortController();
  const closeOnce = async ({ delay = 0, drain = settings.shutdown.drain }: CloseTimes): Promise<void> => {
    state.isDraining = true;
    connections.endConnections();
    const { listening: wasListening } = server;
    if (wasListening) logger.info({ delayMs: delay, drainMs: drain, running: connections.count() }, "draining");
    if (wasListening && delay > 0) {
      await wait(Math.min(delay, longestTimer), undefined, delayEnd).catch(() => undefined);
    }
    state.isStopping = true;
    // Clients of event streams connect to another instance.
    feed?.end();
    await Promise.all([
      connections.stop(drain, (request) => logger.warn(requestInfo(request as Request), cutAtDrain)),
      background.finish(drain).catch((err: unknown) => logger.warn({ err }, "running jobs did not end cleanly")),
    ]);
    await Promise.all(features.release());
    if (wasListening) logger.info("stopped");
  };
  let closing: Promise<void> | undefined;
  const close = (times: CloseTimes = {}): Promise<void> => {
    if (closing !== undefined && !times.delay) delayEnd.abort();
    closing ??= closeOnce(times);
    return closing;
  };
  return { ...service, close };
}

const cutAtDrain = "a running request was aborted: it did not end within shutdown.drain";
