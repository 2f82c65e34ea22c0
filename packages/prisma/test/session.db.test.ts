import { createDatabase } from "@servicekit/dev-database";
import { expect, inject, it } from "vitest";
import { makePostgresAdapter } from "../src/postgres/index.js";

it.each([
  ["", "off"],
  ["-c jit=on", "on"],
  ["-c search_path=public", "off"],
])("C43 a session does not JIT-compile queries unless the URL enables it: options %j", async (options, expected) => {
  const database = await createDatabase(inject("postgresUrl"));
  const url = new URL(database.url);
  if (options !== "") url.searchParams.set("options", options);
  const adapter = await makePostgresAdapter({ url: url.href }).connect();
  const { rows } = await adapter
    .underlyingDriver()
    .query("SELECT current_setting('jit') AS jit, current_setting('TimeZone') AS zone");
  expect(rows).toEqual([{ jit: expected, zone: "UTC" }]);
  await adapter.dispose();
  await database.drop();
});
