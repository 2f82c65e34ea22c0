import type { Nested } from "@servicekit/core/internal";
import type { FormReader } from "@servicekit/router/internal";
import type { Request, Response } from "express";
import { uploadErrors } from "../errors.js";
import { fileError } from "../files/file-error.js";
import type { StoredFile } from "../files/uploaded-file.js";
import { type Attachment, attachToBody, filesByField } from "./attach-to-body.js";
import { type StoreContext, storeFile } from "./store-file.js";
import { findField, type PlannedField, type UploadPlan } from "./upload-plan.js";
import { beginSession, type ReportIssue } from "./upload-session.js";

/** The dependencies of an upload besides the request. */
export interface ReceiveContext extends StoreContext {
  readonly plan: UploadPlan;
  readonly readForm: FormReader;
  readonly attachment: Attachment;
  /** Reads the text fields of the form before files are attached to them. */
  readonly readFields?: (fields: Nested) => unknown;
  readonly report: ReportIssue;
}

/** The uploader, and the signal that aborts the upload. */
export interface UploadFor {
  readonly client: string;
  readonly owner: string | undefined;
  readonly signal: AbortSignal;
}

/** An accepted form: its files are stored and visible. */
export interface ReceivedUpload {
  readonly body: Nested;
  readonly files: readonly StoredFile[];
  readonly byField: ReadonlyMap<PlannedField, readonly StoredFile[]>;
  /** Deletes every file. */
  remove(): Promise<void>;
}

/**
 * Receives the form of a request: each file is checked and stored as it arrives, and if the complete form is valid, all
 * files become visible together. Otherwise, and if the request ends before, nothing remains (contract C35).
 *
 * @throws {HttpError} and the reason of the signal
 */
export async function receiveUpload(
  request: Request,
  response: Response,
  context: ReceiveContext,
  { client, owner, signal }: UploadFor,
): Promise<ReceivedUpload> {
  const { plan, attachment, report } = context;
  const session = beginSession(report);
  try {
    signal.throwIfAborted();
    const nested = await context.readForm(request, response, {
      accept: (name) => acceptFile(name, plan, (what) => session.count(what)),
      store: (file) =>
        session.run((begin) => storeFile({ file, plan, session, context, client, owner, signal }, begin)),
      signal,
    });
    const body = (context.readFields?.(nested) ?? nested) as Nested;
    const byField = filesByField(plan, session.files);
    attachToBody(body, byField, attachment);
    signal.throwIfAborted();
    await session.commit();
    signal.throwIfAborted();
    return { body, files: session.files, byField, remove: session.discard };
  } catch (error) {
    await session.discard();
    throw error;
  }
}

/** Rejects a file of a field that accepts none, or no more. */
function acceptFile(name: string, plan: UploadPlan, count: (what: string) => number): void {
  const field = findField(plan, name);
  if (field === undefined) {
    const message = "A file was sent in a field that does not accept files.";
    throw fileError(uploadErrors.UnexpectedFile, { field: name, code: "UnexpectedFile", message });
  }
  const before = count(`field ${field.name}`);
  if (field.maxCount !== undefined && before >= field.maxCount) {
    const message = `The field accepts at most ${field.maxCount === 1 ? "one file" : `${field.maxCount} files`}.`;
    const index = field.isSingle ? undefined : before;
    throw fileError(uploadErrors.TooManyFiles, { field: field.name, code: "TooManyFiles", message, index });
  }
}
