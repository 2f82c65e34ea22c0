import { readFile } from "node:fs/promises";
import path from "node:path";
import { StartupError, type StartupIssue } from "@servicekit/core";
import { makeStartupIssue } from "@servicekit/core/internal";
import { describeFound } from "@servicekit/core/schema";
import dotenv from "dotenv";
import type { Environment } from "./read-variables.js";

/**
 * Returns the environment with the `.env` files of a directory: the real environment precedes `.env.<NODE_ENV>.local`,
 * `.env.<NODE_ENV>`, `.env.local` and `.env`; the first that sets a variable wins (contract C39). `process.env` is not
 * changed. A blank variable counts as unset. Values are literal: `${OTHER}` is not replaced, as in dotenv itself.
 *
 * @param nodeEnv selects the files; default: `NODE_ENV` of the real environment, of `.env.local`, of `.env`, or
 * `development`. The result contains it as `NODE_ENV`.
 * @param real usually `process.env`
 * @throws {StartupError} for every file that exists but cannot be read
 */
export async function readEnvironment(
  directory: string,
  nodeEnv: string | undefined,
  real: Environment,
): Promise<Readonly<Record<string, string>>> {
  const issues: StartupIssue[] = [];
  const read = async (name: string): Promise<Environment> => {
    try {
      return await readEnvFile(path.join(directory, name));
    } catch (error) {
      issues.push(makeStartupIssue({ where: name, message: `The file cannot be read: ${text(error)}.` }));
      return {};
    }
  };
  const [local, base] = await Promise.all([read(".env.local"), read(".env")]);
  const given = [nodeEnv, real.NODE_ENV, local.NODE_ENV, base.NODE_ENV];
  const mode = given.find(isSet) ?? "development";
  if (!/^[\w-]+$/.test(mode)) {
    issues.push(
      makeStartupIssue({ where: "NODE_ENV", found: describeFound(mode), expected: "a word of letters and digits" }),
    );
    throw new StartupError(issues);
  }
  const [modeLocal, modeBase] = await Promise.all([read(`.env.${mode}.local`), read(`.env.${mode}`)]);
  if (issues.length > 0) throw new StartupError(issues);
  const environment: Record<string, string> = Object.create(null);
  for (const layer of [base, local, modeBase, modeLocal, real]) {
    for (const [name, value] of Object.entries(layer)) if (isSet(value)) environment[name] = value;
  }
  environment.NODE_ENV = mode;
  return Object.freeze(environment);
}

const isSet = (value: string | undefined): value is string => value !== undefined && value.trim() !== "";

/** The variables of one file; none if it does not exist. */
async function readEnvFile(file: string): Promise<Environment> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  // Fatal, because an editor's UTF-16 would otherwise be read as a file without variables.
  return bytes === undefined ? {} : dotenv.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}

function text(error: unknown): string {
  if (error instanceof TypeError) return "it is not UTF-8";
  return error instanceof Error ? error.message : String(error);
}
