import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, inject, it, onTestFinished } from "vitest";
import { useTarballs } from "../../../scripts/test/created-project.js";
import { followDockerfile } from "../../../scripts/test/follow-dockerfile.js";
import { freePort } from "../../../scripts/test/free-port.js";
import { newUserEnvironment } from "../../../scripts/test/new-user-environment.js";
import { tarballsOf, withDependencies } from "../../../scripts/test/packed-packages.js";
import { isDrawnOnceIn } from "../../../scripts/test/slow-share.js";
import { createDatabase } from "../../dev-database/src/index.js";

/*
 * Follows docs/start/tutorial.md block by block with packed packages in an empty HOME: runs its commands, writes its files,
 * applies its changes, and expects the status codes in its comments.
 */
const run = promisify(execFile);
const page = fs.readFileSync(path.join(import.meta.dirname, "../../../docs/start/tutorial.md"), "utf8");
const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-tutorial-"));
const project = path.join(place, "my-blog");
const tarballs = tarballsOf([...withDependencies("service"), "dev-database", "create-servicekit"]);
const environment = newUserEnvironment({ HOME: path.join(place, "home"), npm_config_audit: "false" });
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const sections = page.split(/^## /m).map((text) => ({
  title: text.slice(0, text.indexOf("\n")),
  blocks: [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", code = ""]) => ({
    language,
    code,
  })),
}));

// Removing the packages of a project takes long on a busy machine.
afterAll(() => fs.rmSync(place, { recursive: true, force: true }), 600_000);

/** Writes a file, or appends to it, as the first line of a block requires. */
function writeBlock(code: string): void {
  const [line, name = "", append] = /^\/\/ (\S+)( \(append\))?\n/.exec(code) ?? [];
  if (line === undefined) throw new Error(`A block without a file name: ${code}`);
  const file = path.join(project, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  if (append === undefined) fs.writeFileSync(file, code);
  else fs.appendFileSync(file, code.slice(line.length));
}

/** Replaces the unchanged and removed lines of a diff, which occur once in the file, with its unchanged and added lines. */
function applyDiff(code: string): void {
  const [first = "", ...lines] = code.trimEnd().split("\n");
  const file = path.join(project, first.replace("// ", ""));
  const side = (marks: string): string =>
    lines
      .filter((line) => marks.includes(line.charAt(0)))
      .map((line) => `${line.slice(1)}\n`)
      .join("");
  const parts = fs.readFileSync(file, "utf8").split(side(" -"));
  expect(parts, `${first}\n${side(" -")}`).toHaveLength(2);
  fs.writeFileSync(file, parts.join(side(" +")));
}

/** The commands of a block: a line that ends in a backslash continues. */
const commandsOf = (code: string): string[] => code.trim().replaceAll("\\\n", "").split("\n");

const shell = (command: string, cwd: string): Promise<{ stdout: string }> =>
  run("bash", ["-c", command], { cwd, env: environment, maxBuffer: 2 ** 26 });

/** Creates the project from packed packages, since nothing is published, and installs it. */
async function create(command: string): Promise<void> {
  fs.mkdirSync(path.join(place, "home"));
  // The account of the embedded database must be able to read its folder.
  fs.chmodSync(place, 0o755);
  const creator = `npm exec --yes --package=${tarballs.get("create-servicekit")} --package=${tarballs.get("init")} -- create-servicekit`;
  await shell(
    command.replace("npm create servicekit@latest", creator).replace(" -- --", " --").concat(" --no-install"),
    place,
  );
  useTarballs(project, tarballs);
  await shell("npm install --no-audit --no-fund --loglevel=error", project);
  fs.writeFileSync(path.join(project, "cover.png"), Buffer.from(pixel, "base64"));
}

/** Runs `npm run dev` until it serves; `stop` waits until it has ended. */
async function develop(port: number): Promise<{ stop(): Promise<void> }> {
  const env = { ...environment, PORT: String(port) };
  const child = spawn("npm", ["run", "dev"], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGTERM"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  await expect
    .poll(() => {
      if (child.exitCode !== null || output.includes("✗")) throw new Error(output);
      return statusOf(port, "/api/posts");
    })
    .toBe(200);
  return { stop: () => end(child, port) };
}

const statusOf = (port: number | string, target: string): Promise<number> =>
  fetch(`http://localhost:${port}${target}`).then(
    ({ status }) => status,
    () => 0,
  );

async function end(child: ChildProcess, port: number): Promise<void> {
  child.kill("SIGTERM");
  await expect.poll(() => child.exitCode ?? child.signalCode).not.toBe(null);
  await expect.poll(() => statusOf(port, "/api")).toBe(0);
}

/** Sends a request of the page, and expects the status in its comment. */
async function send(command: string, port: number): Promise<void> {
  const [, status] = /# (\d{3})$/.exec(command) ?? [];
  const sent = command
    .replace(/^curl /, "curl --silent --output answer.json --write-out '%{http_code}' ")
    .replaceAll("localhost:8000", `localhost:${port}`);
  const { stdout } = await shell(sent, project);
  expect(stdout, `${command}\n${fs.readFileSync(path.join(project, "answer.json"), "utf8")}`).toBe(status);
}

it("C73 the tutorial works to the letter", { timeout: 900_000 }, async () => {
  const port = await freePort();
  let requests = 0;
  for (const { title, blocks } of sections) {
    for (const { language, code } of blocks) {
      if (language === "ts") writeBlock(code);
      if (language === "diff") applyDiff(code);
    }
    if (title === "Deploy") continue;
    const commands = blocks.filter(({ language }) => language === "sh").flatMap(({ code }) => commandsOf(code));
    const [creation] = commands.filter((command) => command.startsWith("npm create"));
    if (creation !== undefined) await create(creation);
    const sent = commands.filter((command) => command.startsWith("curl "));
    if (sent.length > 0) {
      const server = await develop(port);
      for (const command of sent) await send(command, port);
      await server.stop();
    }
    requests += sent.length;
    for (const command of commands.filter((each) => /^npm test$|^npx /.test(each))) await shell(command, project);
  }
  expect(requests).toBeGreaterThan(25);
  await shell("npx tsc", project);
});

// Other tests build the images of other projects.
it.runIf(isDrawnOnceIn(4))(
  "C73 the image of the tutorial migrates a database and serves it",
  { timeout: 900_000 },
  async () => {
    const image = await followDockerfile(path.join(project, "Dockerfile"), {
      context: project,
      target: path.join(place, "stages"),
      environment,
      // npm writes only the machine's own platform into a lockfile if the registry is a mirror.
      instead: (command) => command.replace(/^npm ci\b/, "npm install --prefer-offline"),
    });
    const [{ blocks }] = sections.filter(({ title }) => title === "Deploy") as [(typeof sections)[number]];
    const [, migration = ""] = commandsOf(blocks.find(({ language }) => language === "sh")?.code ?? "");
    expect(fs.readdirSync(path.join(image.root, image.directory))).toContain("uploads");
    const database = await createDatabase(inject("postgresUrl"));
    onTestFinished(() => database.drop());
    const port = String(await freePort());
    const cwd = path.join(image.root, image.directory);
    const secrets = { DATABASE_URL: database.url, JWT_SECRET: randomBytes(32).toString("base64url") };
    const env = { ...environment, ...image.environment, ...secrets, PORT: port };
    const [program = "", ...args] = migration.slice(migration.indexOf("node_modules/")).split(" ");
    expect((await run(program, args, { cwd, env })).stdout).toContain("Applied 2 migrations.");
    const child = spawn(process.execPath, image.command.slice(1), { cwd, env, stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGTERM"));
    await expect.poll(() => statusOf(port, "/api/posts")).toBe(200);
  },
);
