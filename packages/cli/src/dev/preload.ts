import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { importModule } from "@servicekit/config-loader/internal";

/** The installed packages that a service loads. */
const ofService = [
  "@servicekit/auth",
  "@servicekit/openapi",
  "@servicekit/prisma/postgres",
  "@servicekit/prisma",
  "helmet",
];
const ofProject = ["@prisma/client/runtime/client", "zod", "class-validator", "class-transformer"];

interface Service {
  readonly default: { create(config: object, runtime: object): Promise<{ close(): Promise<void> }> };
}

/** Loads what all starts of a service need; if something cannot be loaded, the start itself reports it. */
export async function preload(root: string): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-preload-"));
  try {
    const [service] = await Promise.all([
      loadService(root),
      loadTypescript(folder),
      ...ofProject.map((name) => load(root, name)),
    ]);
    const runtime = { directory: folder, argv: [], environment: { NODE_ENV: "development", LOG_LEVEL: "silent" } };
    const created = await service?.default.create({ modulesDirectory: folder }, runtime);
    await created?.close();
  } catch {
    // As above.
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function loadService(root: string): Promise<Service | undefined> {
  const service = await load(root, "@servicekit/service");
  const place = resolveFrom(root, "@servicekit/service");
  if (place !== undefined) await Promise.all(ofService.map((name) => load(path.dirname(place), name)));
  return service as Service | undefined;
}

/** The TypeScript loader is loaded with the first such file. */
async function loadTypescript(folder: string): Promise<void> {
  const file = path.join(folder, "empty.ts");
  fs.writeFileSync(file, "export {};\n");
  await importModule(file);
}

async function load(from: string, name: string): Promise<unknown> {
  const place = resolveFrom(from, name);
  return place === undefined ? undefined : import(pathToFileURL(place).href).catch(() => undefined);
}

function resolveFrom(from: string, name: string): string | undefined {
  try {
    return createRequire(path.join(from, "package.json")).resolve(name);
  } catch {
    return undefined;
  }
}
