import type { Readable, Writable } from "node:stream";
import { type HttpError, isHttpError } from "@servicekit/core";
import { type Nested, PathError, setAtPath, splitFieldPath } from "@servicekit/core/internal";
import type { Request, RequestHandler, Response } from "express";
import { fieldNameError, formErrors, toFormError } from "./form-errors.js";

/** A file of a form, while it arrives. */
export interface IncomingFile {
  readonly field: string;
  /** The name of the file as the client sent it. */
  readonly clientName: string;
  readonly encoding: string;
  readonly stream: Readable;
}

/** What is done with the files of a form. */
export interface FileReceiver {
  /** Rejects a file before its bytes are read, by throwing. */
  accept(field: string, clientName: string): void;
  store(file: IncomingFile): Promise<void>;
  /** Its abort stops the reading; the reason becomes the error. */
  readonly signal: AbortSignal;
}

/** The limits of a form and its errors. */
export interface FormReading {
  readonly maxFiles: number;
  /** Bytes of one file; not applied to files that are dropped. */
  readonly maxFileSize?: number;
  /** Bytes of the complete form. */
  readonly maxBytes?: number;
  /** Bytes of one text field, and of all names and values together. */
  readonly maxFieldBytes?: number;
  /** Segments of a field name: `a[b]` has two. */
  readonly maxDepth?: number;
  readonly tooManyFiles: () => HttpError;
  readonly aborted: (cause?: unknown) => HttpError;
}

/**
 * Reads a form and returns its text fields, nested by their names (specification, "Rules for field names"). Files go to
 * the receiver as they arrive; without one they are dropped.
 */
export type FormReader = (request: Request, response: Response, files?: FileReceiver) => Promise<Nested>;

/** Limits of every form (contract C20); multer has none of them by default. */
const maxFields = 200;
const maxNameLength = 200;
const maxIndex = 100;
const maxHeaders = 50;

/** How long the rest of a rejected form is read, so that the client reads the response: milliseconds. */
const lingerTime = 10_000;

/** What is used of multer. Its types lack `streamHandler`. */
type Multer = (options: object) => { any(): RequestHandler };

/**
 * Creates a reader of multipart forms on multer, which is loaded with the first form. A rejected form is reported
 * immediately; multer alone reports it when the client has sent the rest.
 *
 * @throws {HttpError} from the reader: 400 for a malformed or aborted form, 413 for one over the limits, and what the
 *   receiver throws
 */
export function makeFormReader({
  maxFiles,
  maxFileSize = Number.POSITIVE_INFINITY,
  maxBytes = Number.POSITIVE_INFINITY,
  maxFieldBytes = 1024 * 1024,
  maxDepth = 32,
  tooManyFiles,
  aborted,
}: FormReading): FormReader {
  const limits = {
    fields: maxFields,
    fieldNameSize: maxNameLength,
    fieldSize: maxFieldBytes,
    fieldNestingDepth: maxDepth - 1,
    fieldArrayIndexLimit: maxIndex,
    headerPairs: maxHeaders,
    fileSize: maxFileSize,
    files: maxFiles,
    parts: maxFields + maxFiles,
  };

  return async (request, response, files) => {
    const multer = (await import("multer")).default as unknown as Multer;
    const stores: Promise<void>[] = [];
    let rejected: unknown;
    try {
      if (request.destroyed) throw aborted();
      if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw formErrors.FormTooLarge();
      return await new Promise<Nested>((resolve, reject) => {
        const body: Nested = {};
        let form: Writable | undefined;
        let isOver = false;
        const fail = (error: unknown): void => {
          if (isOver) return;
          isOver = true;
          reject(error);
          if (form === undefined) return;
          request.unpipe(form);
          form.destroy(error as Error);
        };

        const storage = {
          _handleFile(
            _request: unknown,
            file: { fieldname: string; originalname: string; encoding: string; stream: Readable },
            callback: (error: unknown, info?: object) => void,
          ) {
            const { fieldname: field, originalname: clientName, encoding, stream } = file;
            const store = (files as FileReceiver).store({ field, clientName, encoding, stream });
            stores.push(store);
            store.then(
              () => callback(null, {}),
              (error: unknown) => {
                rejected ??= error;
                fail(error);
                callback(error);
              },
            );
          },
          // The receiver removes what it has stored.
          _removeFile: (_request: unknown, _file: unknown, callback: (error: null) => void) => callback(null),
        };

        const fileFilter = (
          _request: unknown,
          { fieldname, originalname }: { fieldname: string; originalname: string },
          callback: (error: unknown, isAccepted?: boolean) => void,
        ): void => {
          // The parser continues with buffered bytes after a rejection; such a file has no end.
          if (isOver || files === undefined) {
            callback(null, false);
            return;
          }
          try {
            files.accept(fieldname, originalname);
          } catch (error) {
            fail(error);
            callback(error);
            return;
          }
          callback(null, true);
        };

        const streamHandler = (_request: unknown, parser: Writable): void => {
          form = parser;
          // Before multer's own listeners, so that the error does not depend on the time at which they report it.
          parser.prependListener("field", readFields(body, maxFieldBytes, maxDepth, fail));
          parser.prependListener("error", fail);
          parser.prependListener("filesLimit", () => fail(tooManyFiles()));
          const tooManyFields = () => fail(formErrors.FormTooLarge("The form has too many fields."));
          parser.prependListener("fieldsLimit", tooManyFields).prependListener("partsLimit", tooManyFields);
          if (files !== undefined) {
            // Browsers send an empty file without a name for a field that was left empty; multer drops all of them.
            parser.on("file", (_name: unknown, stream: Readable, { filename }: { filename?: string }) => {
              if (filename) return;
              stream.once("data", () => queueMicrotask(() => fail(formErrors.UnexpectedFile("A file has no name."))));
            });
            const giveUp = (): void => fail(files.signal.reason);
            files.signal.addEventListener("abort", giveUp, { once: true });
            parser.once("close", () => files.signal.removeEventListener("abort", giveUp));
          }
          if (maxBytes < Number.POSITIVE_INFINITY) {
            let received = 0;
            request.on("data", (chunk: Buffer) => {
              received += chunk.length;
              if (received > maxBytes) fail(formErrors.FormTooLarge());
            });
          }
          request.pipe(parser);
        };

        const options = { storage, limits, defParamCharset: "utf8", fileFilter, streamHandler };
        multer(options).any()(request, response, (error?: unknown) => {
          if (error) fail(error);
          else if (!isOver) {
            isOver = true;
            resolve(body);
          }
        });
      });
    } catch (error) {
      drain(request);
      await Promise.allSettled(stores);
      // The error of the receiver is more specific than the one that closed the stream.
      const { code } = error as { code?: unknown };
      if ((code === "LIMIT_FILE_SIZE" || code === "ABORT_ERR") && isHttpError(rejected)) throw rejected;
      const isAborted = request.destroyed && !request.complete;
      throw toFormError(error) ?? (isAborted ? aborted(error) : error);
    } finally {
      // Multer has put its own reading there.
      request.body = undefined;
      delete (request as { files?: unknown }).files;
    }
  };
}

type OnField = (name: string | undefined, value: string, info: { readonly valueTruncated: boolean }) => void;

/** Puts the text fields of a form into a body. */
function readFields(body: Nested, maxBytes: number, maxDepth: number, fail: (error: unknown) => void): OnField {
  let bytes = 0;
  return (name = "", value, { valueTruncated }) => {
    bytes += name.length + Buffer.byteLength(value);
    try {
      if (valueTruncated || bytes > maxBytes) throw formErrors.FormTooLarge("The fields of the form are too large.");
      if (name === "") throw formErrors.InvalidFieldName("A field of the form has no name.");
      if (name.length > maxNameLength) {
        throw formErrors.InvalidFieldName("A field of the form has a name that is too long.");
      }
      // The parser replaces bytes that are not UTF-8.
      if (`${name}${value}`.includes("\uFFFD")) {
        throw formErrors.MalformedForm("A field of the form is not valid UTF-8.");
      }
      const path = splitFieldPath(unescapeName(name), { notation: "brackets", maxDepth });
      setAtPath(body, path, value, { maxIndex });
    } catch (error) {
      fail(error instanceof PathError ? fieldNameError(error, name) : error);
    }
  };
}

/** Decodes what browsers escape in the name of a field (WHATWG HTML, "multipart/form-data"). */
function unescapeName(name: string): string {
  return name.replace(/%0A|%0D|%22/gi, (code) => decodeURIComponent(code));
}

/** Reads and drops the rest for a while, then closes the connection. */
function drain(request: Request): void {
  if (request.destroyed || request.readableEnded) return;
  const timer = setTimeout(() => request.destroy(), lingerTime);
  timer.unref();
  request.once("close", () => clearTimeout(timer));
  request.once("end", () => clearTimeout(timer));
  request.resume();
}
