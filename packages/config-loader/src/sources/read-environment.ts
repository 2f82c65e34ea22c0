import { readFile } from "node:fs/promises";
import path from "node:path";
import { StartError, type StartFault } from "@servicekit/core";
import { makeStartFault } from "@servicekit/core/internal";
import { describeFound } from "@servicekit/core/schema";
import dotenv from "dotenv";
import type { Environment } from "./read-variables.js";

/**
 * The environment with the `.env` files of a directory: the real environment before `.env.<NODE_ENV>.local`,
 * `.env.<NODE_ENV>`, `.env.local` and `.env`; the first that sets a variable wins (contract C39). Nothing is written to
 * `process.env`. A blank variable is like an absent one. Values are taken as they stand: `${OTHER}` is not replaced, as in
 * dotenv itself.
 *
 * @param nodeEnv which files are read; when absent `NODE_ENV` of the real environment, of `.env.local`, of `.env`, or
 * else `development`. The result holds it as `NODE_ENV`.
 * @param real usually `process.env`
 * @throws {StartError} for every file that is there and cannot be read
 */
export async function readEnvironment(
  directory: string,
  nodeEnv: string | undefined,
  real: Environment,
): Promise<Readonly<Record<string, string>>> {
  const faults: StartFault[] = [];
  const read = async (name: string): Promise<Environment> => {
    try {
      return await readEnvFile(path.join(directory, name));
    } catch (error) {
      faults.push(makeStartFault({ where: name, message: `The file cannot be read: ${said(error)}.` }));
      return {};
    }
  };
  const [local, base] = await Promise.all([read(".env.local"), read(".env")]);
  const given = [nodeEnv, real.NODE_ENV, local.NODE_ENV, base.NODE_ENV];
  const mode = given.find(isSet) ?? "development";
  if (!/^[\w-]+$/.test(mode)) {
    faults.push(
      makeStartFault({ where: "NODE_ENV", found: describeFound(mode), expected: "a word of letters and digits" }),
    );
    throw new StartError(faults);
  }
  const [modeLocal, modeBase] = await Promise.all([read(`.env.${mode}.local`), read(`.env.${mode}`)]);
  if (faults.length > 0) throw new StartError(faults);
  const environment: Record<string, string> = Object.create(null);
  for (const layer of [base, local, modeBase, modeLocal, real]) {
    for (const [name, value] of Object.entries(layer)) if (isSet(value)) environment[name] = value;
  }
  environment.NODE_ENV = mode;
  return Object.freeze(environment);
}

const isSet = (value: string | undefined): value is string => value !== undefined && value.trim() !== "";

/** The variables of one file; none when it is absent. */
async function readEnvFile(file: string): Promise<Environment> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  // Fatal, because an editor's UTF-16 would otherwise be read as no variables at all.
  return bytes === undefined ? {} : dotenv.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}

function said(error: unknown): string {
  if (error instanceof TypeError) return "it is not UTF-8";
  return error instanceof Error ? error.message : String(error);
}
