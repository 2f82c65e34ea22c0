import { EventEmitter } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Readable, Writable } from "node:stream";

/** A file part of a form, while it arrives. */
export interface IncomingFile {
  readonly field: string;
  /** As the client wrote it. */
  readonly clientName: string;
  readonly encoding: string;
  readonly stream: Readable;
}

/** What is done with the parts of a form. */
export interface FormReceiver {
  /** Refuses a file before its bytes are read, by throwing. */
  accept(field: string, clientName: string): void;
  store(file: IncomingFile): Promise<void>;
  /** Is given the parser before the first byte goes into it. */
  connect(form: Writable): void;
}

/**
 * Stands for the request before multer: so nothing is put on the real one until a form is accepted, and a fault is
 * answered at once instead of after the rest of the upload.
 */
export class FormSource extends EventEmitter {
  readonly headers: IncomingHttpHeaders;
  readonly receiver: FormReceiver;
  readonly readable = false;
  readonly destroyed = false;
  body: unknown;
  files: unknown;
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage, receiver: FormReceiver) {
    super();
    this.#request = request;
    this.headers = request.headers;
    this.receiver = receiver;
  }

  get readableEnded(): boolean {
    return this.#request.readableEnded;
  }

  /** Lets the bytes flow. */
  connect(form: Writable): void {
    const request = this.#request;
    const forward = (event: string) => (error?: unknown) => this.emit(event, error);
    const listeners = { error: forward("error"), aborted: forward("aborted"), close: forward("close") };
    for (const [event, listener] of Object.entries(listeners)) request.on(event, listener);
    form.once("close", () => {
      for (const [event, listener] of Object.entries(listeners)) request.off(event, listener);
    });
    this.receiver.connect(form);
    request.pipe(form);
  }

  unpipe(form: Writable): this {
    this.#request.unpipe(form);
    return this;
  }

  resume(): this {
    return this;
  }

  read(): null {
    return null;
  }
}
