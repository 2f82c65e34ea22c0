import type { Worker } from "node:cluster";

/** What the primary and a worker of Node's cluster say to each other of a connection. */
interface HandOff {
  readonly act?: unknown;
  readonly seq?: number;
  readonly ack?: number;
}

type Send = (message: HandOff, handle?: { close(): void }, ...others: unknown[]) => boolean;

/**
 * Closes the connections that were on their way to a worker when it ended. Node's primary waits for its word on each, and keeps
 * those open for ever that it did not live to answer: their clients would wait as long. So they are cut, as all others of that worker.
 */
export function closeLostConnections({ process: child }: Worker): void {
  const underWay = new Map<number, { close(): void }>();
  const send = child.send.bind(child) as Send;
  const watch: Send = (message, handle, ...others) => {
    if (message?.act === "newconn" && message.seq !== undefined && handle !== undefined) {
      underWay.set(message.seq, handle);
    }
    return send(message, handle, ...others);
  };
  Object.assign(child, { send: watch });
  child.on("internalMessage", ({ ack }: HandOff) => {
    if (ack !== undefined) underWay.delete(ack);
  });
  const close = (): void => {
    for (const handle of underWay.values()) handle.close();
    underWay.clear();
  };
  child.once("exit", close);
  child.once("disconnect", close);
}
