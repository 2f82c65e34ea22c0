import { Duplex } from "node:stream";
import type { Gate } from "@servicekit/router";

/** What the server sees of whoever is at the other end. */
export interface PeerFacts {
  readonly remoteAddress: string;
  /** Whether the requests came by HTTPS. */
  readonly encrypted: boolean;
  /** Whether the requests are parts of another, which has been let in. */
  readonly isWithin?: boolean;
}

/** A gate through which requests go at once that are parts of another: that has been let in, and waits for them. */
export const withinGate =
  (gate: Gate): Gate =>
  (request, response, goOn) => {
    if ((request.socket as Partial<PeerFacts>).isWithin === true) goOn();
    else gate(request, response, goOn);
  };

/**
 * The two ends of a connection that leads through this process alone: what is written to one is read from the other, and
 * a reader that does not keep up holds up the writer. The server's end has of a socket what a server asks of one.
 */
export function makeMemoryConnection(peer: PeerFacts): { readonly client: Duplex; readonly server: Duplex } {
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
    // An end that is gone takes the other with it, unless that has been sent all there was and reads the rest.
    this.once("close", () => {
      if (!this.writableFinished) this.other.destroy();
    });
  }

  override _read(): void {
    this.other.giveTurn();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.bytesWritten += chunk.length;
    this.other.bytesRead += chunk.length;
    // Waits until the other end asks for more.
    this.#taken = done;
    if (chunk.length === 0) process.nextTick(() => this.giveTurn());
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

  giveTurn(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  /** Sends what was written, and ends. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }

  /** No time-out is kept: the service's own limits of time hold. */
  setTimeout(): this {
    return this;
  }
}
