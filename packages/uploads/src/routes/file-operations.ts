import { callerOf, identityOf } from "@servicekit/router";
import type { FormReader } from "@servicekit/router/internal";
import type { Request, RequestHandler } from "express";
import { uploadErrors } from "../errors.js";
import { categoryOfExtension, type FileCategory, fileCategories, isFileCategory } from "../files/file-category.js";
import { kindOf } from "../files/file-kinds.js";
import { extensionOf, isMadeName, isPlainName } from "../files/file-name.js";
import { toFileData } from "../files/uploaded-file.js";
import { readImageQuery } from "../images/image-query.js";
import { type FileAccess, fileAuthentication } from "../module/file-access.js";
import { makeUploadReader } from "../receiving/receive-form.js";
import { receiveInTime } from "../receiving/receive-in-time.js";
import { removeOnError } from "../receiving/remove-on-error.js";
import type { StoreContext } from "../receiving/store-file.js";
import { isServedFolder, planCategory, type UploadPlan } from "../receiving/upload-plan.js";
import type { ReportIssue } from "../receiving/upload-session.js";
import type { FoundFile } from "../storage/file-storage.js";
import type { FileModule } from "./file-module.js";
import { sendFile } from "./send-file.js";

/** The dependencies of the file router. */
export interface FileRouterOptions extends StoreContext {
  /** The access; `undefined` if authentication is off. */
  readonly access: FileAccess | undefined;
  readonly module: FileModule;
  readonly report: ReportIssue;
}

interface Place {
  readonly folder: string;
  readonly name: string;
}

/**
 * The location of a path. In a category any plain name is allowed, in another folder only generated names, because a
 * folder may contain other files.
 *
 * @throws {HttpError} 404
 */
function readPlace({ params }: Request): Place {
  const { fileType: folder, fileName: name } = params;
  if (typeof folder !== "string" || typeof name !== "string" || !isServedFolder(folder)) {
    throw uploadErrors.FileNotFound();
  }
  if (isFileCategory(folder) ? !isPlainName(name) : !isMadeName(name)) throw uploadErrors.FileNotFound();
  return { folder, name };
}

/** Finds the file of the path, sets its data in `response.locals.data` for after hooks, and sends it. */
export function serveFile(options: FileRouterOptions): readonly [find: RequestHandler, send: RequestHandler] {
  const { storage, settings, report } = options;
  const isPrivate = (fileAuthentication("findFile", options.access) ?? false) !== false;
  const found = new WeakMap<Request, FoundFile>();
  const find: RequestHandler = async (request, response, next) => {
    const { folder, name } = readPlace(request);
    const file = await storage.find(folder, name);
    if (file === undefined) throw uploadErrors.FileNotFound();
    found.set(request, file);
    const extension = extensionOf(name);
    const pathname = `${settings.baseRoute}/${folder}/${name}`;
    response.locals.data = {
      name,
      category: isFileCategory(folder) ? folder : categoryOfExtension(extension),
      mimeType: kindOf(extension).mediaType,
      size: file.size,
      pathname,
      url: `${settings.publicUrl()}${pathname}`,
    };
    next();
  };
  const send: RequestHandler = async (request, response) => {
    const file = found.get(request);
    if (file === undefined || response.headersSent) return;
    const { name } = readPlace(request);
    await sendFile(request, response, file, { name, options: settings.serverStatic, isPrivate, report });
  };
  return [find, send];
}

/** Receives the files of a category. If the request fails later, they are deleted. */
export function uploadFiles(options: FileRouterOptions): RequestHandler {
  const { settings, module } = options;
  const hasHooks = module.hooks.beforeUploadFile !== undefined || module.hooks.afterUploadFile !== undefined;
  const readers = new Map<FileCategory, { readonly plan: UploadPlan; readonly readForm: FormReader }>(
    fileCategories.map((category) => {
      const plan = planCategory(category, settings, settings.image);
      return [category, { plan, readForm: makeUploadReader(plan) }];
    }),
  );
  return async (request, response, next) => {
    const category = request.params.fileType as FileCategory;
    const reader = readers.get(category);
    if (reader === undefined) throw uploadErrors.UnknownCategory(`The categories are ${fileCategories.join(", ")}.`);
    const image = readImageQuery(request.query, category, { imageQuery: settings.imageQuery, takesOthers: hasHooks });
    if (!hasBody(request)) throw uploadErrors.NoFile();
    const plan = image === undefined ? reader.plan : { ...reader.plan, image: { ...reader.plan.image, ...image } };
    const context = { ...options, plan, readForm: reader.readForm, attachment: false } as const;
    const upload = await receiveInTime(request, response, context);
    if (upload === undefined) return;
    removeOnError(response, () => void upload.remove());
    const [first, ...more] = upload.files.map(toFileData);
    if (first === undefined) throw uploadErrors.NoFile();
    request.body = upload.body;
    response.locals.data = more.length === 0 ? first : [first, ...more];
    next();
  };
}

/**
 * Deletes the file of the path. If every signed-in user has access, only the uploader and superusers may delete it;
 * others get the same response as for a missing file.
 */
export function deleteFile({ storage, access }: FileRouterOptions): RequestHandler {
  const isForOwners = fileAuthentication("deleteFile", access) === true;
  return async (request, response, next) => {
    const { folder, name } = readPlace(request);
    const caller = callerOf(request);
    if (isForOwners && caller?.isSuperUser !== true) {
      const owner = await storage.ownerOf(folder, name);
      if (owner === undefined || caller === undefined || owner !== identityOf(caller))
        throw uploadErrors.FileNotFound();
    }
    if (!(await storage.remove(folder, name))) throw uploadErrors.FileNotFound();
    response.locals.data = { name, category: isFileCategory(folder) ? folder : categoryOfExtension(extensionOf(name)) };
    next();
  };
}

/** RFC 9112, section 6.3. */
function hasBody({ headers }: Request): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
