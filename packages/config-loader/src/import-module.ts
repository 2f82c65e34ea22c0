import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { StartError } from "@servicekit/core";
import { makeStartFault } from "@servicekit/core/internal";
import { findBundled } from "./bundled-modules.js";
import { showFailure } from "./show-failure.js";

/** What a module exports. */
export type ModuleExports = Readonly<Record<string, unknown>>;

/**
 * Imports a module that a user wrote; TypeScript too, with decorators and their metadata. What can load TypeScript is
 * itself loaded with the first such file. The same file gives the same module, so its classes are the same for everyone.
 *
 * @throws {StartError} that shows the failing line of the user's file; its `cause` is the original error
 */
export async function importModule(file: string): Promise<ModuleExports> {
  await checkFile(file);
  return importAt(file, pathToFileURL(path.resolve(file)));
}

/** Imports a file as it is now: after a change it is another module (but for CommonJS, which Node knows by name). */
export async function importFresh(file: string): Promise<ModuleExports> {
  const { mtimeMs, size } = await checkFile(file);
  const url = pathToFileURL(path.resolve(file));
  url.searchParams.set("version", `${mtimeMs}-${size}`);
  return importAt(file, url);
}

/** Told here, because Node would blame the file that imports it: ours. */
async function checkFile(file: string): Promise<Stats> {
  try {
    return await stat(file);
  } catch (error) {
    throw toReadError(file, error);
  }
}

/** The fault of a file that is not there, or may not be read. */
export function toReadError(file: string, error: unknown): StartError {
  const said = error instanceof Error ? error.message : String(error);
  const message = `The file cannot be read: ${said}.`;
  return new StartError([makeStartFault({ where: path.basename(file), message })], { cause: error });
}

async function importAt(file: string, url: URL): Promise<ModuleExports> {
  const load = findBundled(file);
  if (load === undefined && /\.m?ts$/.test(file)) await loadTypescript(file);
  try {
    const exports = await (load === undefined ? import(url.href) : load());
    return exports as ModuleExports;
  } catch (error) {
    throw await toImportError(file, error);
  }
}

/** The fault of a user's file that failed while it was imported or called. */
export async function toImportError(file: string, error: unknown): Promise<StartError> {
  return new StartError([makeStartFault({ where: path.basename(file), message: await showFailure(error, file) })], {
    cause: error,
  });
}

async function loadTypescript(file: string): Promise<void> {
  try {
    await import("oxc-transform");
  } catch (error) {
    const message = `oxc-transform, which reads TypeScript, has no build for ${process.platform} ${process.arch} here: install again, or compile the file to JavaScript.`;
    throw new StartError([makeStartFault({ where: path.basename(file), message })], { cause: error });
  }
  // A variable, because the file has no types to compile against; it is beside both src and dist.
  const register = "../hooks/register.mjs";
  await import(new URL(register, import.meta.url).href);
}
