import { nearestWord, StartError, type StartFault } from "@servicekit/errors";
import { hookHandlers } from "@servicekit/router";
import type { RequestHandler } from "express";
import { accessFaults, type FileAccess } from "./file-access.js";
import { type FileHookName, fileHookNames } from "./module-kind.js";
import type { TellFault } from "./upload-session.js";

/** What the module `file-upload` brings (contract C44): plain values, loaded by others. */
export interface FileUploadModule {
  readonly hooks?: Readonly<Record<string, unknown>> | undefined;
  /** `{ auth: { uploadFile, findFile, deleteFile } }`. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  readonly schemas?: unknown;
  /** Routes of its own, below `baseRoute` and before the built-in ones. */
  readonly router?: unknown;
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
export function readFileModule(
  { hooks = {}, config = {}, router }: FileUploadModule = {},
  tell: TellFault = () => undefined,
): FileModule {
  const faults: StartFault[] = [];
  const where = "the module file-upload";
  const unknown = (what: string, word: string, known: readonly string[]): void => {
    const near = nearestWord(word, known);
    const hint = near === undefined ? `known are ${known.join(", ")}.` : `did you mean ${near}?`;
    faults.push({ where, message: `There is no ${what} ${word}; ${hint}` });
  };
  const read: Partial<Record<FileHookName, readonly RequestHandler[]>> = {};
  for (const [name, hook] of Object.entries(hooks)) {
    const handlers = [hook].flat(Number.POSITIVE_INFINITY) as unknown[];
    if (!isHookName(name)) unknown("hook", name, fileHookNames);
    else if (handlers.every((handler) => handler === undefined || typeof handler === "function")) {
      read[name] = hookHandlers(handlers, `${name} of file-upload`, (error) =>
        tell(error, `the hook ${name} of file-upload can no longer change the answer`),
      );
    } else faults.push({ where, message: `${name} must be a function or a list of functions.` });
  }
  for (const key of Object.keys(config)) if (key !== "auth") unknown("key", key, ["auth"]);
  faults.push(...accessFaults(config.auth, `${where}: auth`));
  if (router !== undefined && typeof router !== "function") faults.push({ where, message: "router must be a router." });
  if (faults.length > 0) throw new StartError(faults);
  return {
    hooks: read,
    access: (config.auth ?? {}) as FileAccess,
    router: router as RequestHandler | undefined,
  };
}

function isHookName(name: string): name is FileHookName {
  return (fileHookNames as readonly string[]).includes(name);
}
