import { afterAll, describe, expect, inject, it } from "vitest";
import { providers } from "../../../../scripts/test/provider-database.js";
import { drawn, slowShare } from "../../../../scripts/test/slow-share.js";
import { checkCases } from "./check-cases.js";
import { dropDatabases } from "./databases.js";
import { pairs } from "./pairs.js";
import { sampleMs } from "./sample-time.js";

afterAll(dropDatabases);

const timeout = 7_200_000;
/** The cases of each provider: most on PostgreSQL, where locks make requests proceed together. */
const cases = { postgresql: 60, sqlite: 8, mysql: 8 };

const names = { postgresql: "PostgreSQL", sqlite: "SQLite", mysql: "MySQL" };
const named = providers.map((provider) => [names[provider], provider] as const);

describe("over many drawn combinations of features", () => {
  const url = inject("postgresUrl");

  it.each(named)(
    "C101 leaves the rows of one order after two concurrent writes on %s",
    { timeout },
    async (_name, provider) => {
      const { together = 0 } = await checkCases(
        pairs(url, 60, slowShare < 1 ? 4 : 60),
        provider,
        drawn(cases[provider]),
        sampleMs,
      );
      if (slowShare >= 1) expect(together).toBeGreaterThan(0);
    },
  );
});
