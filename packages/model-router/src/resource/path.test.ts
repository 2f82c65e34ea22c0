import { StartupError } from "@servicekit/core";
import { type ModelsData, readModels } from "@servicekit/prisma";
import { resourcePath } from "@servicekit/prisma/internal";
import { expect, it } from "vitest";
import { resourcePaths } from "./path.js";

const modelsOf = (...names: readonly string[]) => {
  const data: ModelsData = {
    format: 1,
    enums: [],
    models: names.map((name) => ({
      name,
      keys: [{ kind: "id", fields: ["id"] }],
      fields: [{ kind: "scalar", name: "id", type: "Int" }],
    })),
  };
  return readModels(data);
};

it.each([
  ["MediaType", "media-types"],
  ["Category", "categories"],
  ["Person", "people"],
  ["Sheep", "sheep"],
  ["Data", "data"],
  ["Criteria", "criteria"],
  ["Many", "manies"],
  ["user_account", "user-accounts"],
  ["HTTPRequest", "http-requests"],
  ["Constructor", "constructors"],
])("C6 the path of %s is %s", (name, path) => {
  expect([...modelsOf(name).values()].map(resourcePath)).toEqual([path]);
});

it("C6 rejects models with one path, and names them all", () => {
  const read = () => resourcePaths(modelsOf("User", "Users", "Datum", "Data", "Sheep", "Person", "People"));
  expect(read).toThrow(StartupError);
  expect(read).toThrow(
    "/users: The models User and Users would share this path. Rename one of them in the schema; @@map preserves its table.",
  );
  expect(read).toThrow(
    "/data: The models Datum and Data would share this path. Rename one of them in the schema; @@map preserves its table.",
  );
  expect(read).toThrow(
    "/people: The models Person and People would share this path. Rename one of them in the schema; @@map preserves its table.",
  );
});
