import { StartError } from "@servicekit/core";
import { findFaults } from "@servicekit/core/schema";
import { hookHandlers } from "@servicekit/router/internal";
import type { RequestHandler } from "express";
import type { FileAccess } from "../module/file-access.js";
import { type FileHookName, fileUploadModule } from "../module/module-kind.js";
import type { TellFault } from "../receiving/upload-session.js";

/** Handlers of the module `file-upload`, by name: one or several. */
export type FileHooks = Partial<Readonly<Record<FileHookName, RequestHandler | readonly RequestHandler[]>>>;

/** What the module `file-upload` brings (contract C44): plain values, loaded by others. */
export interface FileUploadModule {
  /** By name: a handler or a list of them. */
  readonly hooks?: FileHooks | undefined;
  /** Who may upload, find and delete files. */
  readonly auth?: FileAccess | undefined;
  /** Routes of its own, below `baseRoute` and before the built-in ones. */
  readonly router?: RequestHandler | undefined;
}

/** A module that was found right. */
export interface FileModule {
  readonly hooks: Readonly<Partial<Record<FileHookName, readonly RequestHandler[]>>>;
  readonly access: FileAccess;
  readonly router: RequestHandler | undefined;
}

/**
 * Reads the module `file-upload`.
 *
 * @throws {StartError} that names each unknown hook and key with the nearest known one
 */
export function readFileModule(module: FileUploadModule = {}, tell: TellFault = () => undefined): FileModule {
  const faults = findFaults(module, fileUploadModule.schema, "models.file-upload");
  if (faults.length > 0) throw new StartError(faults);
  const { hooks = {}, auth = {}, router } = module;
  const read = Object.entries(hooks).map(([name, hook]) => [
    name,
    hookHandlers([hook].flat(Number.POSITIVE_INFINITY), `${name} of file-upload`, (error) =>
      tell(error, `the hook ${name} of file-upload can no longer change the answer`),
    ),
  ]);
  return {
    hooks: Object.fromEntries(read) as Partial<Record<FileHookName, readonly RequestHandler[]>>,
    access: auth,
    router,
  };
}
