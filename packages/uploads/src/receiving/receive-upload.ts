import type { Nested } from "@servicekit/core/internal";
import type { DeclaredRoute } from "@servicekit/router";
import type { FormReader } from "@servicekit/router/internal";
import type { Request, Response } from "express";
import { uploadErrors } from "../errors.js";
import { fileError } from "../files/file-error.js";
import type { StoredFile } from "../files/uploaded-file.js";
import { type Attachment, attachToBody, filesByField } from "./attach-to-body.js";
import { type StoreContext, storeFile } from "./store-file.js";
import { findField, type PlannedField, type UploadPlan } from "./upload-plan.js";
import { beginSession, type TellFault } from "./upload-session.js";

/** What receiving needs besides the request. */
export interface ReceiveContext extends StoreContext {
  readonly plan: UploadPlan;
  readonly readForm: FormReader;
  readonly attachment: Attachment;
  /** Reads the text fields of the form before files are attached to them. */
  readonly readFields?: DeclaredRoute["origin"]["readFields"];
  readonly tell: TellFault;
}

/** Whose upload it is, and until when. */
export interface UploadFor {
  readonly client: string;
  readonly owner: string | undefined;
  readonly signal: AbortSignal;
}

/** An accepted form: its files are stored and seen. */
export interface ReceivedUpload {
  readonly body: Nested;
  readonly files: readonly StoredFile[];
  readonly byField: ReadonlyMap<PlannedField, readonly StoredFile[]>;
  /** Removes every file again. */
  remove(): Promise<void>;
}

/**
 * Receives the form of a request: each file is checked and stored as it arrives, and when all of the form is right the
 * files become visible together. Otherwise nothing of it stays (contract C35), nor when the request is over before.
 *
 * @throws {HttpError} and the reason of the signal
 */
export async function receiveUpload(
  request: Request,
  response: Response,
  context: ReceiveContext,
  { client, owner, signal }: UploadFor,
): Promise<ReceivedUpload> {
  const { plan, attachment, tell } = context;
  const session = beginSession(tell);
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

/** Refuses a file of a field that takes none, or no more. */
function acceptFile(name: string, plan: UploadPlan, count: (what: string) => number): void {
  const field = findField(plan, name);
  if (field === undefined) {
    const message = "A file came in a field that takes none.";
    throw fileError(uploadErrors.UnexpectedFile, { field: name, code: "UnexpectedFile", message });
  }
  const before = count(`field ${field.name}`);
  if (field.maxCount !== undefined && before >= field.maxCount) {
    const message = `The field takes ${field.maxCount === 1 ? "one file" : `${field.maxCount} files`} at most.`;
    const index = field.isSingle ? undefined : before;
    throw fileError(uploadErrors.TooManyFiles, { field: field.name, code: "TooManyFiles", message, index });
  }
}
