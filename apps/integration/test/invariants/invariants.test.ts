import { afterAll, describe, expect, inject, it } from "vitest";
import { providers } from "../../../../scripts/test/provider-database.js";
import { checkCases } from "./check-cases.js";
import { dropDatabases } from "./databases.js";
import { directWrites } from "./direct-writes.js";
import { nonInterference, streamInterference } from "./non-interference.js";
import { replay } from "./replay.js";
import { responses } from "./responses.js";

afterAll(dropDatabases);

/** For the cases and, if one of them fails, for shrinking it. */
const timeout = 600_000;

const names = { postgresql: "PostgreSQL", sqlite: "SQLite", mysql: "MySQL" };
const named = providers.map((provider) => [names[provider], provider] as const);

describe("over drawn combinations of features", () => {
  const url = inject("postgresUrl");

  it("C128 gives a caller the same responses, whatever it cannot list", { timeout }, async () => {
    const { read = 0 } = await checkCases(nonInterference(url, 40), "postgresql", 5);
    expect(read).toBeGreaterThan(0);
  });

  it("C128 gives a caller the same streams, whatever it cannot list", { timeout }, async () => {
    const counts = await checkCases(streamInterference(url), "postgresql", 2);
    expect(Object.keys(counts).join()).toContain("stream");
  });

  it("C57, C100 changes by any path what the direct route changes", { timeout }, async () => {
    const { written = 0 } = await checkCases(directWrites(url, 40), "postgresql", 5);
    expect(written).toBeGreaterThan(0);
  });

  it("C129 replays the log to the table, restores states, and imports exports", { timeout }, async () => {
    const counts = await checkCases(replay(url, 40), "postgresql", 4);
    expect(counts["replayed table"]).toBeGreaterThan(0);
    expect(counts["import 201"]).toBeGreaterThan(0);
  });

  it.each(named)("C128 responds without a server error on every path on %s", { timeout }, async (_name, provider) => {
    const { read = 0, written = 0 } = await checkCases(responses(url, 60), provider, 2);
    expect(Math.min(read, written)).toBeGreaterThan(0);
  });
});
