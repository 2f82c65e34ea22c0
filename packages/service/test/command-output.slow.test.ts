import { execFile, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

// From the built files, in plain Node.
const root = path.join(import.meta.dirname, "../../..");
const bin = path.join(root, "packages/service/bin/service.js");
const { NODE_ENV: _, LOG_LEVEL: _level, DATABASE_URL: _url, VITEST: _vitest, ...rest } = process.env;
const env = { ...rest, APIDOCS_ENABLED: "true" };
const config = `console.log("read by a file of the project");
export default {};
`;

function makeFolder(files: Readonly<Record<string, string>>): string {
  const folder = fs.mkdtempSync(path.join(root, "apps/example/.output-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  for (const [file, text] of Object.entries({ "package.json": '{ "type": "module" }', ...files })) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), text);
  }
  return folder;
}

it.each([
  ["routes", { "service.config.mjs": config }],
  ["config", { "service.config.mjs": config }],
  [
    "routes",
    {
      "src/main.js": `import { service } from "@servicekit/service";
console.log("printed by the program");
await service.init();
`,
    },
  ],
  ["doctor", { "prisma.config.mjs": config }],
])("C73 service %s --json prints only its result to standard output, with %o", async (command, files) => {
  const folder = makeFolder(files);
  const ran = promisify(execFile)(process.execPath, [bin, command, "--json"], { cwd: folder, env });
  // The doctor exits with 1, because the folder is no whole project.
  const { stdout, stderr } = await ran.catch((error: { readonly stdout: string; readonly stderr: string }) => error);
  expect(JSON.parse(stdout), stderr).toBeInstanceOf(Array);
  expect(stderr).toMatch(/read by a file of the project|printed by the program/);
});

it("C73 service routes --json > routes.json writes only its result to the file", () => {
  const folder = makeFolder({ "service.config.mjs": config });
  const file = path.join(folder, "routes.json");
  const out = fs.openSync(file, "w");
  const ran = spawnSync(process.execPath, [bin, "routes", "--json"], {
    cwd: folder,
    env,
    stdio: ["ignore", out, "pipe"],
  });
  fs.closeSync(out);
  expect(ran.stderr.toString()).toBe("read by a file of the project\n");
  expect(JSON.parse(fs.readFileSync(file, "utf8"))).toBeInstanceOf(Array);
});
