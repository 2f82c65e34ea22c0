import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fault } from "../command-error.js";
import type { Project } from "../project/project.js";

/**
 * Writes the Prisma client and the models of the service (`prisma generate`), unless they are those of the schema already.
 *
 * @returns whether they were written
 * @throws {CommandError} with what Prisma says of the schema
 */
export async function generateClient(project: Project, isForced = false): Promise<boolean> {
  const { root, schema } = project;
  if (schema === undefined) throw fault("prisma/schema.prisma", "There is no Prisma schema here.");
  const stamp = path.join(root, "node_modules", ".cache", "servicekit", "generated");
  const digest = digestOf(project);
  const isThere = outputsOf(schema).every((output) => fs.existsSync(output));
  if (!isForced && isThere && fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === digest) return false;
  await runPrisma(project, ["generate", "--no-hints"]);
  fs.mkdirSync(path.dirname(stamp), { recursive: true });
  fs.writeFileSync(stamp, digest);
  return true;
}

/** The files of a schema, in one order. */
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

/** The folders that the generators of a schema write to, as far as they are said. */
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
  // It needs no schema engine here, but insists on finding one and would download it: any executable satisfies it.
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
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  if (code !== 0) throw fault("prisma generate", said.trim() || `ended with ${code}`);
}

function findPrisma(root: string): string {
  try {
    const manifest = createRequire(path.join(root, "package.json")).resolve("prisma/package.json");
    const { bin } = JSON.parse(fs.readFileSync(manifest, "utf8")) as { bin: { prisma: string } | string };
    return path.join(path.dirname(manifest), typeof bin === "string" ? bin : bin.prisma);
  } catch {
    throw fault("prisma", "is not installed, and writes the client: npm install --save-dev prisma");
  }
}
