import { StartupError } from "@servicekit/core";
import { findIssues } from "@servicekit/core/schema";
import { hookHandlers } from "@servicekit/router/internal";
import type { RequestHandler } from "express";
import type { FileAccess } from "../module/file-access.js";
import { type FileHookName, fileUploadModule } from "../module/module-kind.js";
import type { ReportIssue } from "../receiving/upload-session.js";

/** Handlers of the module `file-upload`, by name: one or several. */
export type FileHooks = Partial<Readonly<Record<FileHookName, RequestHandler | readonly RequestHandler[]>>>;

/** The contents of the module `file-upload` (contract C44): plain values, loaded by others. */
export interface FileUploadModule {
  /** By name: a handler or a list of them. */
  readonly hooks?: FileHooks | undefined;
  /** The access to uploads, downloads and deletions. */
  readonly auth?: FileAccess | undefined;
  /** Additional routes, below `baseRoute` and before the built-in ones. */
  readonly router?: RequestHandler | undefined;
}

/** A valid module. */
export interface FileModule {
  readonly hooks: Readonly<Partial<Record<FileHookName, readonly RequestHandler[]>>>;
  readonly access: FileAccess;
  readonly router: RequestHandler | undefined;
}

/**
 * Validates the module `file-upload`.
 *
 * @throws {StartupError} that names each unknown hook and key with the nearest known one
 */
export function readFileModule(module: FileUploadModule = {}, report: ReportIssue = () => undefined): FileModule {
  const issues = findIssues(module, fileUploadModule.schema, "models.file-upload");
  if (issues.length > 0) throw new StartupError(issues);
  const { hooks = {}, auth = {}, router } = module;
  const read = Object.entries(hooks).map(([name, hook]) => [
    name,
    hookHandlers([hook].flat(Number.POSITIVE_INFINITY), `${name} of file-upload`, (error) =>
      report(error, `the hook ${name} of file-upload failed after the response was sent`),
    ),
  ]);
  return {
    hooks: Object.fromEntries(read) as Partial<Record<FileHookName, readonly RequestHandler[]>>,
    access: auth,
    router,
  };
}
