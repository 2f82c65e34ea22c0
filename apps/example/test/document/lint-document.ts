import { execFile } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const here = path.join(import.meta.dirname, "..", "..");
const bin = (name: string): string => path.join(here, "node_modules", ".bin", name);
const clientFolder = path.join(here, "..", "example-client");

/** A finding of a linter: its place and message. */
export interface Finding {
  readonly rule: string;
  readonly text: string;
}

/** A document on disk, for programs that read files; `remove` deletes it. */
export function writeDocument(document: object) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-document-"));
  const file = path.join(folder, "openapi.json");
  fs.writeFileSync(file, JSON.stringify(document, null, 2));
  return { folder, file, remove: () => fs.rmSync(folder, { recursive: true, force: true }) };
}

/** `redocly lint` with its recommended, strict rules. */
export async function lintWithRedocly(file: string): Promise<readonly Finding[]> {
  const text = await outputOf(bin("redocly"), ["lint", "--extends=recommended-strict", "--format=json", file]);
  const { problems } = JSON.parse(text) as {
    readonly problems: readonly {
      ruleId: string;
      message: string;
      location: { pointer?: string }[];
    }[];
  };
  return problems.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    text: `${location[0]?.pointer}: ${message}`,
  }));
}

/** Spectral with its rules for OpenAPI. */
export async function lintWithSpectral(file: string): Promise<readonly Finding[]> {
  const ruleset = path.join(path.dirname(file), "spectral.json");
  fs.writeFileSync(ruleset, JSON.stringify({ extends: ["spectral:oas"] }));
  const text = await outputOf(bin("spectral"), ["lint", "--quiet", "-f", "json", "-r", ruleset, file]);
  const results = JSON.parse(text) as readonly { code: string; message: string; path: string[] }[];
  return results.map(({ code, message, path: place }) => ({
    rule: code,
    text: `${place.join("/")}: ${message}`,
  }));
}

/** The types that openapi-typescript generates from a document, checked in strict mode. @returns the output of tsc */
export async function compileTypes(file: string): Promise<string> {
  const types = path.join(path.dirname(file), "types.ts");
  const clientBin = (name: string): string => path.join(clientFolder, "node_modules", ".bin", name);
  await run(clientBin("openapi-typescript"), [file, "--output", types], { env });
  const tsc = createRequire(path.join(here, "..", "..", "package.json")).resolve("typescript/package.json");
  const script = path.join(path.dirname(tsc), "bin", "tsc");
  return outputOf(process.execPath, [script, "--ignoreConfig", "--noEmit", "--strict", "--types", "", types]);
}

const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

/** The output of a program, also with a nonzero exit code. */
async function outputOf(command: string, args: readonly string[]): Promise<string> {
  try {
    return (await run(command, [...args], { env, maxBuffer: 2 ** 28 })).stdout;
  } catch (error) {
    const { stdout = "", stderr = "", code } = error as { stdout?: string; stderr?: string; code?: unknown };
    if (typeof code !== "number" || (stdout === "" && stderr !== "")) throw error;
    return stdout;
  }
}
