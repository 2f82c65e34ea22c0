import { expect, it } from "vitest";
import { scaffoldModule } from "../src/scaffold/scaffold-module.js";
import { makeFolder } from "./temporary-folder.js";

it.each([
  [
    "dtos",
    ["zod"],
    "The kind dtos needs class-validator, class-transformer and reflect-metadata, which are not installed: npm install class-validator class-transformer reflect-metadata. For a project with Zod, run service generate schemas instead.",
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
  const project = { root, name: "x", data: "", migrations: "", schema: undefined };
  await expect(scaffoldModule(project, scaffold, "Post")).rejects.toThrow(message);
});
