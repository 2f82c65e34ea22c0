import type { Readable, Writable } from "node:stream";
import { httpErrors, isHttpError } from "@servicekit/core";
import type { Request, RequestHandler } from "express";
import type { Options, StorageEngine } from "multer";
import { uploadErrors } from "./errors.js";
import { toFormFault } from "./form-fault.js";
import { type FormReceiver, FormSource } from "./form-source.js";
import { emptyFiles, multipartLimits } from "./multipart-limits.js";

/** The text fields of a form, in their order. */
export type FormFields = readonly (readonly [name: string, value: string])[];

/** What is done with the files of a form, and until when. */
export type FileReceiver = Pick<FormReceiver, "accept" | "store"> & { readonly signal: AbortSignal };

/** Reads one form: text fields are given back, files go to the receiver as they arrive. */
export type FormReader = (request: Request, receiver: FileReceiver) => Promise<FormFields>;

/** How much of a refused upload is read over, so that the client can read the answer: milliseconds. */
const lingerTime = 10_000;

/**
 * Makes a reader of multipart forms with at most so many files of so many bytes.
 *
 * @throws {HttpError} from the reader: 400 for a malformed or aborted form, 413 for one over the limits, 415 for another
 *   kind of form, and whatever the receiver throws
 */
export function makeFormReader({ mostFiles, mostBytes }: { mostFiles: number; mostBytes: number }): FormReader {
  const { fields, fieldSize } = multipartLimits;
  const limits = {
    ...multipartLimits,
    fileSize: mostBytes,
    files: mostFiles + emptyFiles,
    parts: fields + mostFiles + emptyFiles,
  };
  const mostInAll = mostFiles * mostBytes + 4 * fieldSize;
  let made: Promise<RequestHandler> | undefined;
  return async (request, receiver) => {
    checkRequest(request, mostInAll);
    made ??= makeHandler(limits);
    const handle = await made;
    const texts = new TextFields(mostInAll);
    let refused: unknown;
    const stores: Promise<void>[] = [];
    let parser: Writable | undefined;
    const source = new FormSource(request, {
      accept(field, clientName) {
        // Of a form that is refused the parser still tells what came in the same bytes; such a file would never end.
        if (parser?.destroyed) throw parser.errored ?? uploadErrors.MalformedForm();
        receiver.accept(field, clientName);
      },
      store(file) {
        const store = receiver.store(file).catch((error: unknown) => {
          refused ??= error;
          throw error;
        });
        stores.push(store);
        return store;
      },
      connect(form) {
        parser = form;
        texts.listen(request, form);
        const { signal } = receiver;
        const giveUp = (): void => void form.destroy(signal.reason as Error);
        signal.addEventListener("abort", giveUp, { once: true });
        form.once("close", () => signal.removeEventListener("abort", giveUp));
      },
    });
    try {
      if (request.destroyed) throw uploadErrors.UploadAborted();
      await new Promise<void>((resolve, reject) => {
        handle(source as unknown as Request, {} as never, (error?: unknown) => (error ? reject(error) : resolve()));
      });
      return texts.fields;
    } catch (error) {
      drain(request);
      await Promise.allSettled(stores);
      // Of a file that is given up the receiver knows more than the library.
      const { code } = error as { code?: unknown };
      if ((code === "LIMIT_FILE_SIZE" || code === "ABORT_ERR") && isHttpError(refused)) throw refused;
      const isAborted = request.destroyed && !request.complete;
      throw toFormFault(error) ?? (isAborted ? uploadErrors.UploadAborted(undefined, { cause: error }) : error);
    }
  };
}

function checkRequest(request: Request, mostInAll: number): void {
  const encoding = request.headers["content-encoding"];
  const isForm = Boolean(request.is("multipart/form-data"));
  if (!isForm || (encoding !== undefined && encoding.toLowerCase() !== "identity")) {
    const message = "A file is sent as multipart/form-data, not compressed.";
    const path = isForm ? "/content-encoding" : "/content-type";
    const errors = [{ in: "headers", path, code: "UnsupportedMediaType", message }] as const;
    throw httpErrors.UnsupportedMediaType(message, { errors });
  }
  if (request.readableDidRead) throw new Error("The form was read before the step of uploads; no parser may take it.");
  if (Number(request.headers["content-length"] ?? 0) > mostInAll) {
    drain(request);
    throw uploadErrors.FormTooLarge();
  }
}

/** The library is loaded with the first form: most services take none. */
async function makeHandler(limits: Readonly<Record<string, number>>): Promise<RequestHandler> {
  const { default: multer } = await import("multer");
  const sourceOf = (request: unknown) => request as FormSource;
  const storage: StorageEngine = {
    _handleFile(request, { fieldname: field, originalname: clientName, encoding, stream }, callback) {
      sourceOf(request)
        .receiver.store({ field, clientName, encoding, stream: stream as Readable })
        .then(
          () => callback(null, {}),
          (error: unknown) => callback(error),
        );
    },
    // The receiver knows what it has stored and removes it itself.
    _removeFile: (_request, _file, callback) => callback(null),
  };
  const options = {
    storage,
    limits,
    defParamCharset: "utf8",
    fileFilter(
      request: unknown,
      file: { fieldname: string; originalname: string },
      callback: (...args: never) => void,
    ) {
      const answer = callback as (error: unknown, accepted?: boolean) => void;
      try {
        sourceOf(request).receiver.accept(file.fieldname, file.originalname);
      } catch (error) {
        answer(error);
        return;
      }
      answer(null, true);
    },
    streamHandler: (request: unknown, form: Writable) => sourceOf(request).connect(form),
  };
  // Its types do not know the newer options yet.
  return multer(options as unknown as Options).any();
}

/** Collects what the library would put into a body by rules of its own. */
class TextFields {
  readonly fields: [string, string][] = [];
  readonly #mostInAll: number;
  #bytes = 0;

  constructor(mostInAll: number) {
    this.#mostInAll = mostInAll;
  }

  listen(request: Request, form: Writable): void {
    const refuse = (error: Error): void => void form.destroy(error);
    let received = 0;
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received > this.#mostInAll) refuse(uploadErrors.FormTooLarge());
    });
    form.on("field", (name: string | undefined, value: string) => {
      this.#bytes += (name?.length ?? 0) + Buffer.byteLength(value);
      if (this.#bytes > multipartLimits.fieldSize) {
        refuse(uploadErrors.FormTooLarge("The fields of the form are too large."));
      } else if (value.includes("\uFFFD") || name?.includes("\uFFFD")) {
        // The parser has put this mark where the bytes were no text.
        refuse(uploadErrors.MalformedForm("A field of the form is not valid UTF-8."));
      } else this.fields.push([unescapeName(name ?? ""), value]);
    });
    form.on("file", (_name: unknown, stream: Readable, { filename }: { filename?: string }) => {
      // A browser sends an empty one for a field that was left empty; multer reads over both.
      if (!filename)
        stream.once("data", () =>
          queueMicrotask(() => refuse(uploadErrors.UnexpectedFile("A file came without a name."))),
        );
    });
  }
}

/** What browsers escape in the name of a field (WHATWG HTML, "multipart/form-data"). */
function unescapeName(name: string): string {
  return name.replace(/%0A|%0D|%22/gi, (code) => decodeURIComponent(code));
}

/** Reads over the rest for a while; who goes on longer is cut off. */
function drain(request: Request): void {
  if (request.destroyed || request.readableEnded) return;
  const timer = setTimeout(() => request.destroy(), lingerTime);
  timer.unref();
  request.once("close", () => clearTimeout(timer));
  request.once("end", () => clearTimeout(timer));
  request.resume();
}
