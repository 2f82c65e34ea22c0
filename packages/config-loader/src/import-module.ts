import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { StartupError } from "@servicekit/core";
import { makeStartupIssue } from "@servicekit/core/internal";
import { findBundled } from "./bundled-modules.js";
import { showFailure } from "./show-failure.js";

/** The exports of a module. */
export type ModuleExports = Readonly<Record<string, unknown>>;

/**
 * Imports a user's module, including TypeScript with decorators and their metadata. The TypeScript compiler is loaded
 * with the first such file. The same file always returns the same module, so its classes are identical everywhere.
 *
 * @throws {StartupError} with the failing line of the user's file; its `cause` is the original error
 */
export async function importModule(file: string): Promise<ModuleExports> {
  await checkFile(file);
  return importAt(file, pathToFileURL(path.resolve(file)));
}

/**
 * Imports the current version of a file: after a change it is another module (except CommonJS, which Node caches by
 * name).
 */
export async function importFresh(file: string): Promise<ModuleExports> {
  const { mtimeMs, size } = await checkFile(file);
  const url = pathToFileURL(path.resolve(file));
  url.searchParams.set("version", `${mtimeMs}-${size}`);
  return importAt(file, url);
}

/** Checked here, because Node would report our file, which imports it. */
async function checkFile(file: string): Promise<Stats> {
  try {
    return await stat(file);
  } catch (error) {
    throw toReadError(file, error);
  }
}

/** The issue of a file that does not exist or cannot be read. */
export function toReadError(file: string, error: unknown): StartupError {
  const text = error instanceof Error ? error.message : String(error);
  const message = `The file cannot be read: ${text}.`;
  return new StartupError([makeStartupIssue({ where: path.basename(file), message })], { cause: error });
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

/** The issue of a user's file that failed while it was imported or called. */
export async function toImportError(file: string, error: unknown): Promise<StartupError> {
  return new StartupError([makeStartupIssue({ where: path.basename(file), message: await showFailure(error, file) })], {
    cause: error,
  });
}

async function loadTypescript(file: string): Promise<void> {
  try {
    await import("oxc-transform");
  } catch (error) {
    const message = `oxc-transform, which reads TypeScript, has no build for ${process.platform} ${process.arch}. Reinstall it, or compile the file to JavaScript.`;
    throw new StartupError([makeStartupIssue({ where: path.basename(file), message })], { cause: error });
  }
  // A variable, because the file has no types to compile against; it is located beside src and dist.
  const register = "../hooks/register.mjs";
  await import(new URL(register, import.meta.url).href);
}
