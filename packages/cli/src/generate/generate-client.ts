import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { commandError } from "../command-error.js";
import type { Project } from "../project/project.js";

/**
 * Generates the Prisma client and the models of the service (`prisma generate`) if they are not up to date.
 *
 * @returns whether they were generated
 * @throws {CommandError} with Prisma's error about the schema
 */
export async function generateClient(project: Project, isForced = false): Promise<boolean> {
  const { root, schema } = project;
  if (schema === undefined) throw commandError("prisma/schema.prisma", "There is no Prisma schema in this folder.");
  const stamp = path.join(root, "node_modules", ".cache", "servicekit", "generated");
  const digest = digestOf(project);
  const isThere = outputsOf(schema).every((output) => fs.existsSync(output));
  if (!isForced && isThere && fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === digest) return false;
  await runPrisma(project, ["generate", "--no-hints"]);
  fs.mkdirSync(path.dirname(stamp), { recursive: true });
  fs.writeFileSync(stamp, digest);
  return true;
}

/** The files of a schema, in a stable order. */
export function schemaFiles(schema: string): string[] {
  if (!fs.statSync(schema).isDirectory()) return [schema];
  const names = fs.readdirSync(schema, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".prisma"))
    .sort()
    .map((name) => path.join(schema, name));
}

function digestOf({ root, schema = "" }: Project): string {
  const hash = createHash("sha256");
  for (const file of schemaFiles(schema)) hash.update(file).update(fs.readFileSync(file));
  for (const name of ["prisma", "@prisma/client", "@servicekit/service"]) hash.update(versionOf(name, root));
  return hash.digest("hex");
}

/** The output folders of a schema's generators, if they are set. */
export function outputsOf(schema: string): string[] {
  return schemaFiles(schema).flatMap((file) =>
    [...fs.readFileSync(file, "utf8").matchAll(/^\s*output\s*=\s*"([^"]+)"/gm)].map(([, output = ""]) =>
      path.resolve(path.dirname(file), output),
    ),
  );
}

function versionOf(name: string, root: string): string {
  try {
    return fs.readFileSync(path.join(root, "node_modules", name, "package.json"), "utf8");
  } catch {
    return "";
  }
}

async function runPrisma({ root }: Project, args: readonly string[]): Promise<void> {
  const bins = path.join(root, "node_modules", ".bin");
  const env: NodeJS.ProcessEnv = { ...process.env };
  // It does not need the schema engine, but would download one; any executable satisfies it.
  env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;
  env.CHECKPOINT_DISABLE ??= "1";
  env.PRISMA_HIDE_UPDATE_MESSAGE ??= "1";
  // Its generators are found by name.
  const PATH = Object.keys(env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
  env[PATH] = [bins, env[PATH]].join(path.delimiter);
  const child = spawn(process.execPath, [findPrisma(root), ...args], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  if (code !== 0) throw commandError("prisma generate", text.trim() || `exited with ${code}`);
}

function findPrisma(root: string): string {
  try {
    const manifest = createRequire(path.join(root, "package.json")).resolve("prisma/package.json");
    const { bin } = JSON.parse(fs.readFileSync(manifest, "utf8")) as { bin: { prisma: string } | string };
    return path.join(path.dirname(manifest), typeof bin === "string" ? bin : bin.prisma);
  } catch {
    throw commandError("prisma", "is not installed. It generates the client: npm install --save-dev prisma");
  }
}
