import { isAbsolute } from "node:path";
import { Readable } from "node:stream";
import type { FairQueue } from "@servicekit/core/internal";
import type { IncomingFile } from "@servicekit/router/internal";
import { uploadErrors } from "../errors.js";
import { fitsCategory, headSize, identifyFile } from "../files/check-file.js";
import { fileError } from "../files/file-error.js";
import { kindOf } from "../files/file-kinds.js";
import { cleanOriginalName, extensionOf, makeFileName } from "../files/file-name.js";
import { readHead } from "../files/read-head.js";
import type { StoredFile } from "../files/uploaded-file.js";
import { changedExtension, changeImage, isChangeable } from "../images/change-image.js";
import type { UploadSettings } from "../settings.js";
import type { FileStorage, NewFile } from "../storage/file-storage.js";
import { spoolFile } from "./spool-file.js";
import { findField, isServedFolder, type UploadPlan } from "./upload-plan.js";
import type { UploadSession } from "./upload-session.js";
import { type Writing, writeFile } from "./write-file.js";

/** The dependencies of storing files. */
export interface StoreContext {
  readonly settings: UploadSettings;
  readonly storage: FileStorage;
  /** The queue of image conversions. */
  readonly conversions: FairQueue;
  /** A folder for waiting files. */
  readonly spool: string;
}

/** The bytes of a file as they arrive, and its target. */
interface FileWork {
  readonly file: IncomingFile;
  readonly plan: UploadPlan;
  readonly session: UploadSession;
  readonly context: StoreContext;
  /** The client whose conversion it is. */
  readonly client: string;
  /** The id of the uploader. */
  readonly owner: string | undefined;
  /** Aborted when the file is no longer needed. */
  readonly signal: AbortSignal;
}

/**
 * Checks one file of a form and streams it into the storage (contract C33, C35): only its first bytes are in
 * memory, and an image while it is converted.
 *
 * @throws {HttpError} 400 for too many, 413 for too large, 415 for a type or content that is not accepted, 503 for
 * conversions, 503 and 507 for the storage
 */
export async function storeFile(work: FileWork, begin: (file: NewFile) => void): Promise<StoredFile> {
  const { file, plan, session, context } = work;
  const { settings, storage } = context;
  const index = indexOf(work);
  const makeError = (
    code: "UnsupportedFileType" | "FileContentMismatch" | "FileTooLarge" | "UnreadableImage" | "TooManyFiles",
    message: string,
  ) => fileError(uploadErrors[code], { field: file.field, code, message, index });

  const head = await readHead(file.stream, Math.min(headSize, plan.maxBytes + 1));
  const identity = await identifyFile(extensionOf(file.clientName), head.bytes, makeError);
  const category = plan.category ?? identity.category;
  const restriction = settings.restrictions[category];
  const takes = plan.types ?? restriction.supportedFiles;
  const named = kindOf(identity.extension).mediaType;
  if (!takes(identity.extension, named) || (plan.category !== undefined && !fitsCategory(identity, category))) {
    const kind = identity.extension === "" ? "without an extension" : `with the extension .${identity.extension}`;
    throw makeError("UnsupportedFileType", `Files ${kind} are not accepted.`);
  }
  if (session.count(`category ${category}`) >= restriction.maxCount && !countsItself(work)) {
    throw makeError("TooManyFiles", `There are more than ${restriction.maxCount} ${category}.`);
  }

  const change = plan.image !== undefined && identity.mediaType.startsWith("image/") ? plan.image : undefined;
  if (change !== undefined && !isChangeable(identity.extension)) {
    throw makeError("UnsupportedFileType", `Images with the extension .${identity.extension} cannot be converted.`);
  }
  const extension = change === undefined ? identity.extension : changedExtension(identity.extension, change);
  const mimeType = change === undefined ? identity.mediaType : kindOf(extension).mediaType;
  const name = makeFileName(extension);
  const folder = plan.folder ?? category;

  const maxSize = plan.maxSize ?? restriction.maxSize;
  const writing = {
    head,
    rest: file.stream,
    maxSize,
    tooLarge: () => makeError("FileTooLarge", `The file is larger than ${maxSize} bytes.`),
  };
  const unreadable = () => makeError("UnreadableImage", "The image cannot be read, or it has too many pixels.");
  const changed =
    change === undefined
      ? undefined
      : // One at a time: the form is read on when the previous one is done.
        await session.inTurn(() =>
          convertInQueue(work, writing, (input) =>
            changeImage(input, { extension: identity.extension, change, unreadable }),
          ),
        );
  const target = await storage.create(folder, name, { mediaType: mimeType, owner: work.owner });
  begin(target);
  if (changed !== undefined) await target.write(Readable.from([changed]));
  const size = changed === undefined ? await writeFile({ ...writing, target }) : changed.length;
  return {
    field: file.field,
    encoding: file.encoding,
    destination: target.destination,
    path: target.path,
    name,
    originalName: cleanOriginalName(file.clientName),
    category,
    mimeType,
    size,
    ...addressOf(folder, name, settings),
  };
}

/** Converts an image, which waits on disk until its client is next. */
async function convertInQueue(
  { context, client, signal }: FileWork,
  writing: Omit<Writing, "target">,
  change: (input: Buffer) => Promise<Buffer>,
): Promise<Buffer> {
  signal.throwIfAborted();
  const waiting = await spoolFile(context.spool);
  try {
    await writeFile({ ...writing, target: waiting });
    const changed = await context.conversions.run(client, async () => change(await waiting.read()), signal);
    signal.throwIfAborted();
    return changed;
  } finally {
    await waiting.close();
  }
}

/** The index of a file among those of its field; `undefined` if there can be only one. */
function indexOf({ file, plan, session }: FileWork): number | undefined {
  const field = findField(plan, file.field);
  const index = session.count(`stored ${field?.name}`);
  return field?.isSingle ? undefined : index;
}

/** Whether the declaration of the field sets the maximum number. */
function countsItself({ file, plan }: FileWork): boolean {
  return findField(plan, file.field)?.maxCount !== undefined;
}

/**
 * The path of a file in the file router; for a folder that is not served, its folder and name, but no path of the disk.
 */
function addressOf(folder: string, name: string, { baseRoute, publicUrl }: UploadSettings) {
  const own = isAbsolute(folder) ? name : `${folder}/${name}`;
  const pathname = isServedFolder(folder) ? `${baseRoute}/${folder}/${name}` : own;
  return { pathname, url: isServedFolder(folder) ? `${publicUrl()}${pathname}` : pathname };
}
