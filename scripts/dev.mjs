// The commands of this repository: `npm start`, `npm test`, `npm run test:slow | mutate | watch | check | build | docs |
// benchmark | format | changeset | release`.
// Requires only Node >= 20.19 and npm; everything else, including pnpm, comes from the npm registry.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..");
const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node >= 20.19 is needed; this is ${process.versions.node}.`);
  process.exit(1);
}

const env = { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1", TURBO_NO_UPDATE_NOTIFIER: "1" };
// npm passes its own settings as npm_config_*; pnpm and Prisma need none of the lifecycle ones.
for (const key of Object.keys(env)) {
  if (/^npm_(lifecycle|package|command|execpath|node_execpath)/.test(key)) delete env[key];
}
const windows = process.platform === "win32";

function run(title, command, args) {
  const started = Date.now();
  console.error(`— ${title} …`);
  const { status, signal, error } = spawnSync(command, args, { cwd: root, env, stdio: "inherit", shell: windows });
  if (status !== 0) {
    console.error(`\n✗ ${title} failed (${error?.message ?? `exit ${status ?? signal}`})`);
    process.exit(status || 1);
  }
  console.error(`— ${title}: ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/** The last step keeps running: stop signals are passed on, so that stopping `npm start` stops all child processes. */
function runUntilExit(command, args) {
  const child = spawn(command, args, {
    cwd: root,
    env,
    stdio: "inherit",
    shell: windows && command !== process.execPath,
  });
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill("SIGTERM"));
  // Ctrl+C reaches the child from the terminal: a second one would abort running requests.
  process.on("SIGINT", () => {});
  // `npm run` does not stop its children when it is killed, so the change of the parent is checked.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill("SIGTERM"), 500).unref();
  child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}

// The pinned pnpm is in .tools: one npm call the first time, none afterwards.
const version = manifest.packageManager.replace(/^pnpm@|\+.*$/g, "");
const tools = path.join(root, ".tools", `pnpm-${version}`);
const pnpmBin = path.join(tools, "node_modules", ".bin");
const npmFlags = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"];
if (!fs.existsSync(pnpmBin)) run("pnpm", "npm", ["install", "--prefix", tools, ...npmFlags, `pnpm@${version}`]);
const PATH = Object.keys(env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
env[PATH] = [path.join(root, "node_modules", ".bin"), pnpmBin, env[PATH]].join(path.delimiter);

/** What a task installs where it does not need everything: options of pnpm, and the file that records it. */
const parts = {
  // What the example needs at run time.
  start: { stamp: ".installed-for-start", scope: ["--prod", "--filter=@servicekit/example..."] },
  // No test imports the benchmark with the frameworks that it measures, or the generators of the documentation site.
  test: { stamp: ".installed-for-test", scope: ["--filter=!@servicekit/benchmark", "--filter=!@servicekit/docs"] },
};

/**
 * Installs only when the lockfile or a manifest has changed since the last install: a second start is quick. `npm start`
 * and `npm test` install a part, unless everything was installed before.
 */
function install(task) {
  const folders = ["packages", "apps"].flatMap((group) =>
    fs.readdirSync(path.join(root, group)).map((name) => path.join(group, name)),
  );
  const files = ["package.json", ...folders.map((folder) => path.join(folder, "package.json"))];
  const hash = createHash("sha256").update(process.versions.node);
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml", ".pnpmfile.cjs", ...files]) {
    const full = path.join(root, file);
    if (fs.existsSync(full)) hash.update(file).update(fs.readFileSync(full));
  }
  const digest = hash.digest("hex");
  const at = (stamp) => path.join(root, "node_modules", stamp);
  const isInstalled = (stamp) => fs.existsSync(at(stamp));
  const isCurrent = (stamp) => isInstalled(stamp) && fs.readFileSync(at(stamp), "utf8") === digest;
  const everything = { stamp: ".installed", scope: [] };
  // A part of what is installed would take the rest away. Without a stamp, pnpm itself was called.
  const isStamped = [everything, ...Object.values(parts)].some(({ stamp }) => isInstalled(stamp));
  const isForeign = !isStamped && fs.existsSync(path.join(root, "node_modules", ".modules.yaml"));
  const larger = [everything, parts.test].filter(({ stamp }) => isInstalled(stamp) && task in parts);
  const { stamp, scope } = larger[0] ?? (isForeign ? everything : parts[task]) ?? everything;
  if (isCurrent(stamp)) return;
  run("install", "pnpm", ["install", "--frozen-lockfile", ...scope, "--reporter=append-only", "--loglevel=error"]);
  fs.writeFileSync(at(stamp), digest);
}

/** The packages that `npm test -- …` names; undefined where it names something else, or nothing. */
function namedPackages(args) {
  const folders = args.filter((arg) => /^(packages|apps|scripts)\b/.test(arg));
  const names = folders.map((folder) => /^packages\/([\w-]+)/.exec(folder)?.[1]);
  return names.length > 0 && !names.includes(undefined) ? names : undefined;
}

/** Makes what the tests import and serve, and does not lie in the repository: of all packages and applications, or of the named ones. */
function prepareTests(args) {
  const packages = namedPackages(args);
  if (packages !== undefined) env.TEST_FIXTURES = packages.join(",");
  const tasks = packages === undefined ? ["generate", "page"] : packages.some(servesPage) ? ["page"] : [];
  const quiet = ["--filter=!@servicekit/benchmark", "--output-logs=errors-only"];
  if (tasks.length > 0) run(tasks.join(" and "), "turbo", ["run", ...tasks, ...quiet]);
}
const servesPage = (name) => ["studio", "service"].includes(name);

/** The arguments of vitest: those of the command, with its projects unless it names one. */
function vitestArguments(args, ...projects) {
  // vitest looks for a part of a path: packages/cli is a part of packages/client too.
  const complete = args.map((arg) => arg.replace(/^(?:\.\/)?((?:packages|apps)\/[\w-]+)\/?$/, "$1/"));
  return [...(args.includes("--project") ? [] : projects.map((name) => `--project=${name}`)), ...complete];
}
const sources = "--conditions=servicekit-source";
const typescriptHooks = "./packages/config-loader/hooks/register.mjs";
const build = (...filter) => run("build", "turbo", ["run", "build", ...filter, "--output-logs=errors-only"]);

const [task, ...rest] = process.argv.slice(2);
if (rest.length > 0) env.STORE_TRANSFORMED_TESTS = "1";
install(task);
switch (task) {
  case "start":
    // Runs the TypeScript sources without a build.
    run("generate", process.execPath, [sources, "scripts/generate.mjs", "apps/example"]);
    console.error("— start");
    runUntilExit(process.execPath, [sources, "--import", typescriptHooks, "apps/example/src/main.ts", ...rest]);
    break;
  case "test":
    // Tests run from the sources: no package is built. One of them checks the types.
    prepareTests(rest);
    if (rest.length === 0) run("lint", "biome", ["ci", "--colors=off", "--error-on-warnings", "."]);
    run("test", "vitest", ["run", ...vitestArguments(rest, "unit", "database", "isolated")]);
    break;
  case "test:slow":
    build();
    run("slow tests", "vitest", ["run", ...vitestArguments(rest, "slow", "clock")]);
    break;
  case "mutate":
    // Changes no file: the mutants exist only in the memory of the test runs.
    prepareTests(rest);
    runUntilExit(process.execPath, [sources, "--import", typescriptHooks, "scripts/mutation/mutate.ts", ...rest]);
    break;
  case "watch":
    prepareTests(rest);
    runUntilExit("vitest", ["watch", ...vitestArguments(rest, "unit", "database", "isolated")]);
    break;
  case "check":
    build();
    run("lint", "biome", ["ci", "--error-on-warnings", "."]);
    run("unused code", "knip", ["--no-config-hints"]);
    run("layers", "vitest", ["run", "--project=unit", "scripts/check-layers"]);
    run("types", "vitest", ["run", "--project=isolated", "scripts/check-types"]);
    run("docstrings", "pnpm", ["--dir", "apps/docs", "exec", "typedoc", "--logLevel", "Warn"]);
    break;
  case "build":
    build();
    break;
  case "docs":
    run("docs", "pnpm", ["--dir", "apps/docs", "run", rest[0] === "watch" ? "watch:site" : "build:site"]);
    break;
  case "benchmark":
    build("--filter=@servicekit/benchmark", "--filter=@servicekit/example");
    run("benchmark", process.execPath, ["apps/benchmark/dist/main.js", ...rest]);
    break;
  case "format":
    run("format", "biome", ["check", "--write", "."]);
    break;
  case "changeset":
    run("changeset", "changeset", rest);
    break;
  case "release":
    build();
    run("publish", process.execPath, ["scripts/publish.mjs"]);
    // It prints each new tag, of which the workflow creates a release.
    run("tag", "changeset", ["tag"]);
    break;
  default:
    console.error(
      "Usage: npm start | npm test | npm run test:slow | mutate | watch | check | build | docs | benchmark | format | changeset | release",
    );
    process.exit(2);
}
