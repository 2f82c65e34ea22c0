import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startScript, useTarballs } from "../../../scripts/test/created-project.js";
import { createEmptyMysqlDatabase, type MysqlDatabase, mysqlKind } from "../../../scripts/test/mysql-database.js";
import { newUserEnvironment } from "../../../scripts/test/new-user-environment.js";
import { tarballsOf, withDependencies } from "../../../scripts/test/packed-packages.js";
import { providers } from "../../../scripts/test/provider-database.js";
import { createProject } from "../src/index.js";

const run = promisify(execFile);
const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-mysql-project-"));
const project = path.join(place, "my-shop");
const tarballs = tarballsOf([...withDependencies("service"), "dev-database"]);
const databases: MysqlDatabase[] = [];

/** The environment of a command, with a new database. */
async function withDatabase(): Promise<{ readonly env: NodeJS.ProcessEnv; readonly database: MysqlDatabase }> {
  const database = await createEmptyMysqlDatabase();
  databases.push(database);
  const urls = { DATABASE_URL: database.url, TEST_DATABASE_URL: database.url };
  return { database, env: newUserEnvironment({ HOME: path.join(place, "home"), npm_config_audit: "false", ...urls }) };
}

const npm = (args: readonly string[], env: NodeJS.ProcessEnv) => run("npm", [...args], { cwd: project, env });

describe.skipIf(!providers.includes("mysql"))("C117 a new project on MySQL or MariaDB", () => {
  beforeAll(async () => {
    fs.mkdirSync(path.join(place, "home"));
    const database = await mysqlKind();
    createProject({ directory: project, schema: "shop", authentication: "dynamic", database });
    useTarballs(project, tarballs);
    await npm(
      ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"],
      (await withDatabase()).env,
    );
  }, 600_000);
  afterAll(async () => {
    for (const database of databases) await database.drop();
    fs.rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  }, 600_000);

  it("creates its database and tables, seeds them and responds after one command", async () => {
    const { env, database } = await withDatabase();
    await database.drop();
    const { url, child, text } = await startScript("npm", ["run", "dev"], { cwd: project, env }, "/api/products");
    onTestFinished(() => void child.kill("SIGTERM"));
    expect(text()).toMatch(
      /Created the missing database of DATABASE_URL\.\n.*Applied the migration \d{14}_init\.\n.*\nSeeded the new database\./,
    );
    const products = (await (await fetch(`${url}/api/products?name__icontains=MUG&include=category`)).json()) as object;
    expect(products).toMatchObject({
      data: [{ name: "Tin mug", price: "12.50", category: { name: "Kitchen" } }],
      meta: { total: 1 },
    });
    expect((await fetch(`${url}/api/orders`)).status).toBe(401);
  });

  it("is migrated by service migrate deploy", async () => {
    const { database, env } = await withDatabase();
    const { stdout } = await npm(["exec", "service", "migrate", "deploy"], env);
    expect(stdout).toContain("Applied 1 migration.");
    expect(await database.run("SELECT id FROM `Product`")).toEqual([]);
  });

  it("has passing tests and valid types", async () => {
    const { env } = await withDatabase();
    expect((await npm(["test"], env)).stdout).toMatch(/Tests\s+[34] passed/);
    await npm(["run", "typecheck"], env);
  });
});
