import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { commandError } from "../command-error.js";
import type { Project } from "../project/project.js";

/**
 * Generates the Prisma client and the models of the service if they are not up to date, with the result of
 * `prisma generate`: in this process, or by Prisma's command line if the schema or the version of the client requires it.
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
  await generate(project, schema);
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
  for (const name of ["prisma", "@prisma/client", "@servicekit/service"])
    hash.update(readManifest(name, root)?.manifest.version ?? "");
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

async function generate({ root }: Project, schema: string): Promise<void> {
  const { PrismaCliRequiredError, runGenerators, SchemaError } = await import("@servicekit/prisma/run-generators");
  const clientVersion = readManifest("@prisma/client", root)?.manifest.version;
  try {
    await runGenerators({ schema, clientVersion });
  } catch (error) {
    if (error instanceof SchemaError) throw commandError(place, error.message);
    if (!(error instanceof PrismaCliRequiredError)) throw error;
    const prisma = readManifest("prisma", root);
    if (prisma !== undefined) return runPrisma(root, prisma);
    const command = ["npm install --save-dev prisma", ...(clientVersion === undefined ? [] : [clientVersion])].join(
      "@",
    );
    throw commandError(place, `${error.message} Install it: ${command}`);
  }
}

/** The place in the messages about a schema. */
export const place = "service generate";

interface Installed {
  readonly folder: string;
  readonly manifest: { readonly version?: string; readonly bin?: { readonly prisma: string } | string };
}

/** Searches `node_modules` upwards; `require.resolve` would also find packages that are not the project's, by NODE_PATH. */
function readManifest(name: string, root: string): Installed | undefined {
  for (let directory = root; ; directory = path.dirname(directory)) {
    const folder = path.join(directory, "node_modules", name);
    const file = path.join(folder, "package.json");
    if (fs.existsSync(file)) return { folder, manifest: JSON.parse(fs.readFileSync(file, "utf8")) };
    if (directory === path.dirname(directory)) return undefined;
  }
}

async function runPrisma(root: string, { folder, manifest: { bin = "" } }: Installed): Promise<void> {
  const env: NodeJS.ProcessEnv = { ...process.env };
  // It does not need the schema engine, but would download one; any executable satisfies it.
  env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;
  env.CHECKPOINT_DISABLE ??= "1";
  env.PRISMA_HIDE_UPDATE_MESSAGE ??= "1";
  // Its generators are found by name.
  const PATH = Object.keys(env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
  env[PATH] = [path.join(root, "node_modules", ".bin"), env[PATH]].join(path.delimiter);
  const program = path.join(folder, typeof bin === "string" ? bin : bin.prisma);
  const child = spawn(process.execPath, [program, "generate", "--no-hints"], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  if (code !== 0) throw commandError(place, text.trim() || `prisma generate exited with ${code}`);
}
