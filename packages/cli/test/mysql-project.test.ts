import path from "node:path";
import { expect, it } from "vitest";
import { acquireDatabase } from "../src/database/acquire-database.js";
import type { ProjectFolder } from "../src/project/project.js";
import { makeFolder } from "./temporary-folder.js";

const schema = 'datasource db {\n  provider = "mysql"\n}\n\nmodel Note {\n  id Int @id\n}\n';

function makeProject(): ProjectFolder {
  const root = makeFolder({ "package.json": "{}", "prisma/schema.prisma": schema });
  return { root, data: path.join(root, ".data/postgres"), file: path.join(root, ".data/dev.db") } as ProjectFolder;
}

it("C120 a project of MySQL needs the URL of a server", async () => {
  await expect(acquireDatabase(makeProject(), {}, () => undefined)).rejects.toThrow(
    "Set the URL of a MySQL or MariaDB server: the schema has the provider mysql.",
  );
});

it("C120 describes the server without its password", async () => {
  const variables = { DATABASE_URL: "mysql://root:secret@db:3307/shop" };
  const { place, isEmbedded } = await acquireDatabase(makeProject(), variables, () => undefined);
  expect([place, isEmbedded]).toEqual(["MySQL at db:3307/shop", false]);
});
