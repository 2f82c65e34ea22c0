import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { acquireExistingDatabase } from "../src/database/acquire-database.js";
import { findProjectFolder } from "../src/project/project.js";
import { makeFolder } from "./temporary-folder.js";

const acquire = (root: string) => acquireExistingDatabase(findProjectFolder(root), {}, () => undefined);

it("C73 commands that use rows fail without a development database, and create none", async () => {
  const root = makeFolder({ "package.json": "{}" });
  await expect(acquire(root)).rejects.toThrow(
    `DATABASE_URL: It is not set, and ${root} has no development database. Set it, or run service dev, which creates one.`,
  );
  expect(fs.readdirSync(root)).toEqual(["package.json"]);
});

it("C73 commands that use rows use the development file", async () => {
  const files = {
    "package.json": "{}",
    "schema.prisma": 'datasource db {\n  provider = "sqlite"\n}\n',
    ".data/dev.db": "",
  };
  const root = makeFolder(files);
  expect(await acquire(root)).toMatchObject({ url: `file:${path.join(root, ".data/dev.db")}`, isEmbedded: false });
});

it("C73 commands that use rows require the URL of a MySQL server", async () => {
  const root = makeFolder({ "package.json": "{}", "schema.prisma": 'datasource db {\n  provider = "mysql"\n}\n' });
  await expect(acquire(root)).rejects.toThrow("DATABASE_URL: Set the URL of a MySQL or MariaDB server");
});
