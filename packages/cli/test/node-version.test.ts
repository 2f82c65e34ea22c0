import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { makeFolder } from "./temporary-folder.js";

const packages = path.join(import.meta.dirname, "../..");

/** Runs a program without its packages, so that any import fails, on a version of Node. */
function runOn(version: string, program: string) {
  const folder = makeFolder({
    "package.json": '{ "type": "module" }',
    "bin/program.js": fs.readFileSync(path.join(packages, program), "utf8"),
    "version.mjs": `Object.defineProperty(process.versions, "node", { value: "${version}" });`,
  });
  const args = ["--import", path.join(folder, "version.mjs"), path.join(folder, "bin/program.js")];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, stderr };
}

it.each(["service/bin/service.js", "service/bin/servicekit-prisma.js", "create-servicekit/bin/create-servicekit.js"])(
  "C73 %s checks the version of Node before it imports anything",
  (program) => {
    const name = path.basename(program, ".js");
    const stderr = (version: string) =>
      `${name} requires Node 20.19 or later. This is Node ${version}: install a later version.\n`;
    for (const version of ["18.20.4", "20.18.3"])
      expect(runOn(version, program)).toEqual({ status: 1, stderr: stderr(version) });
    for (const version of ["20.19.0", "22.0.0"])
      expect(runOn(version, program).stderr).toContain("ERR_MODULE_NOT_FOUND");
  },
);
