import { readFile } from "node:fs/promises";
import path from "node:path";
import { StartupError } from "@servicekit/core";
import { isPlainObject, makeStartupIssue } from "@servicekit/core/internal";
import { describeFound } from "@servicekit/core/schema";
import { defaultExport } from "../default-export.js";
import { importFresh, toImportError, toReadError } from "../import-module.js";
import { type ConfigObject } from "../merge-layers.js";

/**
 * Reads a configuration file: its default export is an object, a promise of one or a function that returns one; a JSON
 * file is the object itself. A changed file is read again by the next call; its imports are not.
 *
 * @throws {StartupError} with the failing line of the file, or with what it exports instead of an object
 */
export async function importConfigFile(file: string): Promise<ConfigObject> {
  const value = file.endsWith(".json") ? await readJson(file) : await readExport(file);
  if (isPlainObject(value)) return value;
  const expected = file.endsWith(".json") ? "an object" : "an object as the default export";
  throw new StartupError([makeStartupIssue({ where: path.basename(file), found: describeFound(value), expected })]);
}

async function readExport(file: string): Promise<unknown> {
  const exported = defaultExport(await importFresh(file));
  try {
    return await (typeof exported === "function" ? exported() : exported);
  } catch (error) {
    throw await toImportError(file, error);
  }
}

async function readJson(file: string): Promise<unknown> {
  const bytes = await readFile(file, "utf8").catch((error: unknown) => {
    throw toReadError(file, error);
  });
  const text = bytes.replace(/^\uFEFF/, "");
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it is not JSON";
    const offset = Number(/position (\d+)/.exec(reason)?.[1] ?? text.length);
    const before = text.slice(0, offset).split("\n");
    const line = text.split(/\r?\n/)[before.length - 1] ?? "";
    // The place has a line of its own, and later versions of Node include it twice.
    const issue = reason.replace(/ at position \d+(?: \(line \d+ column \d+\))?$/, "");
    const message = `${issue}\nat ${path.relative(process.cwd(), file)}:${before.length}\n${before.length} | ${line}`;
    throw new StartupError([makeStartupIssue({ where: path.basename(file), message })], { cause: error });
  }
}
