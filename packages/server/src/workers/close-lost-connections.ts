import type { Worker } from "node:cluster";

/** The messages between the primary and a worker of Node's cluster about a connection. */
interface HandOff {
  readonly act?: unknown;
  readonly seq?: number;
  readonly ack?: number;
}

type Send = (message: HandOff, handle?: { close(): void }, ...others: unknown[]) => boolean;

/**
 * Closes the connections that were in transit to a worker when it exited. Node's primary waits for an acknowledgement
 * of each, and never closes those without one, so their clients would wait forever.
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
