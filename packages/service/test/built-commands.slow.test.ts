import { execFile } from "node:child_process";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { makeProjects } from "./project-folder.js";

const { project, removeAll } = makeProjects();
afterAll(removeAll);
const hooks = pathToFileURL(path.join(import.meta.dirname, "../../config-loader/hooks/register.mjs")).href;
const command = path.join(import.meta.dirname, "../src/cli/main.ts");

it.each([
  ["start", "undefined"],
  ["worker", "worker"],
])("C73 service %s runs the built program until it ends", async (name, role) => {
  const program = "setTimeout(() => console.log(`ended as ${process.env.SERVICEKIT_ROLE}`), 100);";
  const cwd = project({ "service.config.ts": "export default {};", "dist/main.js": program });
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", hooks, "--conditions=servicekit-source", command, name],
    { cwd, env: { ...process.env, DATABASE_URL: "postgresql://localhost/none" } },
  );
  expect(stdout).toBe(`ended as ${role}\n`);
});
