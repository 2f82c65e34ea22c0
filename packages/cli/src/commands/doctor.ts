import { execFile } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import type { Command } from "commander";
import { loadDatabaseLibrary } from "../database/library.js";
import { searchStorages } from "../database/search-storages.js";
import { outputsOf } from "../generate/generate-client.js";
import { addHelp } from "../help.js";
import { environmentOf, findProject, type Project, type Variables } from "../project/project.js";
import { makePaint } from "../terminal/paint.js";
import { reserveOutput } from "../terminal/reserve-output.js";

/** The result of one check. */
interface Finding {
  readonly what: string;
  readonly state: "good" | "notice" | "bad";
  readonly message: string;
  /** The fix. */
  readonly hint?: string;
}

type Check = (project: Project, environment: Variables) => Promise<Finding | undefined> | Finding | undefined;

/** `service doctor`: checks for common problems and prints fixes. */
export function addDoctor(program: Command): void {
  addHelp(program.command("doctor"), {
    failure: "a check failed; or an error",
    examples: ["service doctor", "NODE_ENV=production service doctor --json"],
  })
    .description(
      "check versions, tsconfig.json, .env, database, secret, proxy and open routes, and print how to fix problems",
    )
    .option("--json", "print JSON")
    .action(async ({ json = false }: { json?: boolean }) => {
      // prisma.config.ts may print.
      const output = reserveOutput();
      const project = await findProject();
      const environment = await environmentOf(project);
      const found: Finding[] = [];
      for (const check of checks) {
        const finding = await check(project, environment);
        if (finding !== undefined) found.push(finding);
      }
      process.exitCode = found.some(({ state }) => state === "bad") ? 1 : 0;
      if (json) return output.write(`${JSON.stringify(found, null, 2)}\n`);
      const paint = makePaint(process.stdout);
      const signs = { good: paint("green", "✓"), notice: paint("yellow", "!"), bad: paint("red", "✗") };
      for (const { what, state, message, hint } of found) {
        output.write(`${signs[state]} ${what}: ${message}${hint === undefined ? "" : `\n    ${hint}`}\n`);
      }
    });
}

const good = (what: string, message: string): Finding => ({ what, state: "good", message });
const notice = (what: string, message: string, hint: string): Finding => ({ what, state: "notice", message, hint });
const bad = (what: string, message: string, hint: string): Finding => ({ what, state: "bad", message, hint });

const checks: readonly Check[] = [
  function node() {
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
    const isOld = major < 20 || (major === 20 && minor < 19);
    const version = process.versions.node;
    return isOld ? bad("Node", version, "Node 20.19 or later is required.") : good("Node", version);
  },
  function packages({ root }) {
    const manifest = readJson(path.join(root, "package.json"));
    if (manifest.type !== "module") return bad("package.json", 'has no "type": "module"', "npm pkg set type=module");
    const client = versionOf(root, "@prisma/client");
    if (client === undefined) return bad("@prisma/client", "is not installed", "npm install @prisma/client");
    const prisma = versionOf(root, "prisma") ?? client;
    if (prisma !== client) {
      const isNear = minorOf(prisma) === minorOf(client);
      const hint = `npm install --save-exact @prisma/client@${prisma}`;
      return (isNear ? notice : bad)("Prisma", `prisma is ${prisma}, @prisma/client ${client}`, hint);
    }
    return good("Packages", `@servicekit/service ${versionOf(root, "@servicekit/service")}, @prisma/client ${client}`);
  },
  function tsconfig({ root }) {
    const file = path.join(root, "tsconfig.json");
    if (!fs.existsSync(file)) return notice("tsconfig.json", "does not exist", "npx tsc --init");
    const text = fs.readFileSync(file, "utf8");
    if (!/"module"\s*:\s*"(node16|node18|node20|nodenext)"/i.test(text)) {
      return bad("tsconfig.json", 'has no "module": "nodenext"', "Node resolves imports by this setting.");
    }
    const { dependencies = {} } = readJson(path.join(root, "package.json")) as { dependencies?: object };
    const usesClasses = "class-validator" in dependencies;
    if (usesClasses && !/"emitDecoratorMetadata"\s*:\s*true/.test(text)) {
      return bad(
        "tsconfig.json",
        'has no "emitDecoratorMetadata": true',
        "Classes with class-validator need it, and experimentalDecorators.",
      );
    }
    return /"strict"\s*:\s*true/.test(text)
      ? good("tsconfig.json", "strict")
      : notice("tsconfig.json", "is not strict", 'Set "strict": true.');
  },
  function variables({ root }) {
    const file = path.join(root, ".env");
    if (!fs.existsSync(file)) return undefined;
    const ignored = path.join(root, ".gitignore");
    const isIgnored = fs.existsSync(ignored) && /^\.env(\b|$)/m.test(fs.readFileSync(ignored, "utf8"));
    if (!isIgnored && fs.existsSync(path.join(root, ".git")))
      return bad(".env", "is not in .gitignore", "echo .env >> .gitignore");
    const mode = fs.statSync(file).mode & 0o077;
    return mode === 0 || process.platform === "win32"
      ? good(".env", "readable by its owner only")
      : notice(".env", "other users of this machine can read it", "chmod 600 .env");
  },
  function generated({ schema }) {
    if (schema === undefined) return bad("Schema", "There is no Prisma schema", "Expected at prisma/schema.prisma.");
    const missing = outputsOf(schema).filter((output) => !fs.existsSync(output));
    return missing.length === 0
      ? good("Client", "is generated")
      : bad("Client", "is not generated", "npx service generate");
  },
  function secret(_project, { JWT_SECRET: text = "", NODE_ENV: mode }) {
    if (text === "")
      return notice("JWT_SECRET", "is not set", "Accounts of the service require a secret: openssl rand -base64 48");
    const isShort = text.split(",").some((one) => Buffer.byteLength(one) < 32);
    if (!isShort && new Set(text).size >= 12) return good("JWT_SECRET", "is long enough");
    const message = isShort ? "has less than 32 bytes" : "can be guessed";
    return mode === "production"
      ? bad("JWT_SECRET", `${message}: the service will not start`, "openssl rand -base64 48")
      : notice("JWT_SECRET", `${message}: the service will not start in production`, "openssl rand -base64 48");
  },
  function proxy(_project, { TRUST_PROXY: trust = "", NODE_ENV: mode }) {
    if (mode !== "production" || trust !== "") return undefined;
    return notice(
      "TRUST_PROXY",
      "is not set",
      "Behind a load balancer, all clients would share one rate limit: set TRUST_PROXY=1.",
    );
  },
  async function database({ migrations, data, file }, { DATABASE_URL: url = "" }) {
    if (url === "") {
      const message = [data, file].some((one) => fs.existsSync(one))
        ? "the development database of service dev"
        : "none yet: service dev creates one";
      return good("Database", message);
    }
    try {
      const { migrationStatus, outdatedDefaults } = await loadDatabaseLibrary("service doctor");
      const { applied, pending, failed, edited } = await migrationStatus(url, migrations);
      if (failed.length > 0) return bad("Database", `${failed.join(", ")} failed`, "npx prisma migrate resolve");
      if (pending.length > 0)
        return bad("Database", `has pending migrations: ${pending.join(", ")}`, "npx service migrate deploy");
      if (edited.length > 0)
        return notice(
          "Database",
          `has edited migrations: ${edited.join(", ")}`,
          "Never change a migration that was applied.",
        );
      const outdated = await outdatedDefaults(url);
      if (outdated.length > 0)
        return notice(
          "Database",
          `has defaults whose values filters and sorts do not compare: ${outdated.join(", ")}`,
          "npx service migrate new --name defaults, and npx service migrate deploy",
        );
      return good("Database", `is reachable, with ${applied.length} migrations`);
    } catch (error) {
      return bad(
        "Database",
        error instanceof Error ? error.message : String(error),
        "Check DATABASE_URL and that the server runs.",
      );
    }
  },
  async function searches(project, environment) {
    const { DATABASE_URL: url = "" } = environment;
    if (url === "") return undefined;
    try {
      const { generatedColumns = [] } = await searchStorages({ project, environment });
      if (generatedColumns.length === 0) return undefined;
      const { findOutdatedColumns } = await loadDatabaseLibrary("service doctor");
      const outdated = await findOutdatedColumns(url, generatedColumns);
      if (outdated.length === 0) return good("Searches", "have the columns of their current definitions");
      const columns = outdated.map(({ table, column }) => `${table}.${column}`).join(", ");
      return notice(
        "Searches",
        `read whole tables, because these columns have an earlier definition: ${columns}`,
        "npx service migrate new --name search && npx service migrate deploy",
      );
    } catch {
      // Other checks report a database that cannot be reached, and a service that does not start.
      return undefined;
    }
  },
  async function openRoutes({ root }) {
    const [, bin = ""] = process.argv;
    try {
      const run = promisify(execFile)(process.execPath, [bin, "routes", "--json"], { cwd: root, maxBuffer: 2 ** 26 });
      const routes = JSON.parse((await run).stdout) as { method: string; path: string; entrance: { kind: string } }[];
      const open = routes.filter(({ method, entrance }) => method !== "GET" && entrance.kind === "everyone");
      const others = open.filter(({ path }) => !path.startsWith("/api/auth/"));
      if (others.length === 0) return good("Routes", `${routes.length}; none allows anonymous writes`);
      const shown = others.slice(0, 3).map(({ method, path }) => `${method} ${path}`);
      return notice(
        "Routes",
        `${others.length} allow anonymous writes: ${shown.join(", ")}${others.length > 3 ? " …" : ""}`,
        "npx service routes --open",
      );
    } catch (error) {
      const output = (error as { stderr?: string }).stderr?.trim() || String(error);
      return bad("The service", `does not start:\n${output}`, "Fix this first.");
    }
  },
];

const minorOf = (version: string): string => version.split(".").slice(0, 2).join(".");

function readJson(file: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8")) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function versionOf(root: string, name: string): string | undefined {
  const direct = path.join(root, "node_modules", name, "package.json");
  if (fs.existsSync(direct)) return String(readJson(direct).version);
  try {
    return String(readJson(createRequire(path.join(root, "package.json")).resolve(`${name}/package.json`)).version);
  } catch {
    return undefined;
  }
}
