import { Duplex } from "node:stream";
import type { Gate } from "@servicekit/router";

/** The peer of a connection, as the server sees it. */
export interface ConnectionInfo {
  readonly remoteAddress: string;
  /** Whether the requests arrived over HTTPS. */
  readonly encrypted: boolean;
  /** Whether the requests are parts of another request, which has been accepted. */
  readonly isWithin?: boolean;
}

/** A gate for requests that are parts of another accepted request, which waits for them: they start immediately. */
export const withinGate =
  (gate: Gate): Gate =>
  (request, response, goOn) => {
    if ((request.socket as Partial<ConnectionInfo>).isWithin === true) goOn();
    else gate(request, response, goOn);
  };

/**
 * The two ends of an in-memory connection: what is written to one is read from the other, with backpressure. The
 * server's end has the members of a socket that a server uses.
 */
export function makeMemoryConnection(peer: ConnectionInfo): { readonly client: Duplex; readonly server: Duplex } {
  const server = Object.assign(new End(), peer);
  const client = new End();
  server.other = client;
  client.other = server;
  return { client, server };
}

class End extends Duplex {
  other!: End;
  bytesRead = 0;
  bytesWritten = 0;
  #taken: (() => void) | undefined;

  constructor() {
    super({ allowHalfOpen: true });
    // A closed end closes the other, unless that has received everything and still reads.
    this.once("close", () => {
      if (!this.writableFinished) this.other.destroy();
    });
  }

  override _read(): void {
    this.other.release();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.bytesWritten += chunk.length;
    this.other.bytesRead += chunk.length;
    // Waits until the other end reads more.
    this.#taken = done;
    if (chunk.length === 0) process.nextTick(() => this.release());
    else this.other.push(chunk);
  }

  override _final(done: () => void): void {
    const { other } = this;
    const end = (): void => {
      other.off("end", end).off("close", end);
      done();
    };
    if (other.destroyed || other.readableEnded) {
      done();
      return;
    }
    other.once("end", end).once("close", end);
    other.push(null);
  }

  release(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  /** Sends the written data and ends. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }

  /** There is no socket timeout: the service's own time limits apply. */
  setTimeout(): this {
    return this;
  }

  /** Nothing is delayed. */
  setNoDelay(): this {
    return this;
  }

  /** There are no probes. */
  setKeepAlive(): this {
    return this;
  }
}
