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

/** What storing files needs to know of its surroundings. */
export interface StoreContext {
  readonly settings: UploadSettings;
  readonly storage: FileStorage;
  /** Where images wait for being changed. */
  readonly conversions: FairQueue;
  /** A folder for files that wait. */
  readonly spool: string;
}

/** The bytes of a file as they come in, and where they go. */
interface FileWork {
  readonly file: IncomingFile;
  readonly plan: UploadPlan;
  readonly session: UploadSession;
  readonly context: StoreContext;
  /** Whose turn a conversion takes. */
  readonly client: string;
  /** The id of the user who sends it. */
  readonly owner: string | undefined;
  /** Is aborted when nobody waits for the file any more. */
  readonly signal: AbortSignal;
}

/**
 * Checks one file of a form and streams it into the storage (contract C33, C35): nothing but its first bytes is held, and
 * an image that is changed while it has its turn.
 *
 * @throws {HttpError} 400 for too many, 413 for too large, 415 for a kind or a content that is not taken, 503 for
 *   conversions, 503 and 507 for the storage
 */
export async function storeFile(work: FileWork, begin: (file: NewFile) => void): Promise<StoredFile> {
  const { file, plan, session, context } = work;
  const { settings, storage } = context;
  const index = indexOf(work);
  const refuse = (
    code: "UnsupportedFileType" | "FileContentMismatch" | "FileTooLarge" | "UnreadableImage" | "TooManyFiles",
    message: string,
  ) => fileError(uploadErrors[code], { field: file.field, code, message, index });

  const head = await readHead(file.stream, Math.min(headSize, plan.mostBytes + 1));
  const identity = await identifyFile(extensionOf(file.clientName), head.bytes, refuse);
  const category = plan.category ?? identity.category;
  const restriction = settings.restrictions[category];
  const takes = plan.types ?? restriction.supportedFiles;
  const named = kindOf(identity.extension).mediaType;
  if (!takes(identity.extension, named) || (plan.category !== undefined && !fitsCategory(identity, category))) {
    const kind = identity.extension === "" ? "without an extension" : `with the extension .${identity.extension}`;
    throw refuse("UnsupportedFileType", `Files ${kind} are not taken.`);
  }
  if (session.count(`category ${category}`) >= restriction.maxCount && !countsItself(work)) {
    throw refuse("TooManyFiles", `There are more than ${restriction.maxCount} ${category}.`);
  }

  const change = plan.image !== undefined && identity.mediaType.startsWith("image/") ? plan.image : undefined;
  if (change !== undefined && !isChangeable(identity.extension)) {
    throw refuse("UnsupportedFileType", `Images with the extension .${identity.extension} cannot be changed.`);
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
    tooLarge: () => refuse("FileTooLarge", `The file is larger than ${maxSize} bytes.`),
  };
  const unreadable = () => refuse("UnreadableImage", "The image cannot be read, or it has too many pixels.");
  const changed =
    change === undefined
      ? undefined
      : // One at a time: the form is read on when the one before is done.
        await session.inTurn(() =>
          takeTurn(work, writing, (input) => changeImage(input, { extension: identity.extension, change, unreadable })),
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

/** Lets a file wait on disk until its client has a turn. */
async function takeTurn(
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

/** The place of a file among those of its field; `undefined` where there can be one only. */
function indexOf({ file, plan, session }: FileWork): number | undefined {
  const field = findField(plan, file.field);
  const index = session.count(`stored ${field?.name}`);
  return field?.isSingle ? undefined : index;
}

/** Whether the declaration of the field says how many there may be. */
function countsItself({ file, plan }: FileWork): boolean {
  return findField(plan, file.field)?.maxCount !== undefined;
}

/** Where the file router serves a file; what it does not serve has its folder and name, but no path of the disk. */
function addressOf(folder: string, name: string, { baseRoute, publicUrl }: UploadSettings) {
  const own = isAbsolute(folder) ? name : `${folder}/${name}`;
  const pathname = isServedFolder(folder) ? `${baseRoute}/${folder}/${name}` : own;
  return { pathname, url: isServedFolder(folder) ? `${publicUrl()}${pathname}` : pathname };
}
