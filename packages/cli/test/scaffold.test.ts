import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { scaffoldJob } from "../src/scaffold/scaffold-job.js";
import { scaffoldModule } from "../src/scaffold/scaffold-module.js";
import { makeFolder } from "./temporary-folder.js";

it.each([
  [
    "dtos",
    ["zod"],
    "The kind dtos needs class-validator, class-transformer and reflect-metadata, which are not installed: npm install class-validator class-transformer reflect-metadata. For a project with Zod, run npx service generate schemas instead.",
  ],
  [
    "dtos",
    ["zod", "class-validator", "class-transformer"],
    "The kind dtos needs reflect-metadata, which is not installed",
  ],
  ["schemas", [], "The kind schemas needs zod, which is not installed: npm install zod"],
] as const)("C73 service generate %s with the packages %j names the missing ones", async (scaffold, names, message) => {
  const packages = names.map((name) => [`node_modules/${name}/package.json`, "{}"]);
  const root = makeFolder({ "package.json": "{}", ...Object.fromEntries(packages) });
  const project = { root, name: "x", data: "", file: "", migrations: "", schema: undefined };
  await expect(scaffoldModule(project, scaffold, "Post")).rejects.toThrow(message);
});

it("C109 service generate job writes a job of that name and its test, and changes no existing file", () => {
  const root = makeFolder({ "package.json": "{}", "test/welcome-mail.job.test.ts": "// mine" });
  const job = path.join(root, "src/jobs/welcome-mail.job.ts");
  expect(scaffoldJob({ root }, "welcome-mail")).toEqual([job]);
  expect(fs.readFileSync(job, "utf8")).toContain('name: "welcome-mail"');
  expect(fs.readFileSync(path.join(root, "test/welcome-mail.job.test.ts"), "utf8")).toBe("// mine");
  expect(() => scaffoldJob({ root }, "welcome-mail")).toThrow("src/jobs/welcome-mail.job.ts already exists.");
  expect(scaffoldJob({ root }, "clean-up")).toHaveLength(2);
  for (const name of ["WelcomeMail", "../x", "a_b", ""])
    expect(() => scaffoldJob({ root }, name)).toThrow("Expected the name of a job in kebab-case");
});
