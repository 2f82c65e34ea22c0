import { afterAll, describe, expect, inject, it } from "vitest";
import { providers } from "../../../../scripts/test/provider-database.js";
import { drawn, slowShare } from "../../../../scripts/test/slow-share.js";
import { checkCases } from "./check-cases.js";
import { dropDatabases } from "./databases.js";
import { directWrites } from "./direct-writes.js";
import { nonInterference, streamInterference } from "./non-interference.js";
import { replay } from "./replay.js";
import { responses } from "./responses.js";
import { sampleMs } from "./sample-time.js";

afterAll(dropDatabases);

const timeout = 7_200_000;
/** The cases of each invariant: most on PostgreSQL, which has every feature. */
const share = { postgresql: 1, sqlite: 0.25, mysql: 0.25 };

const names = { postgresql: "PostgreSQL", sqlite: "SQLite", mysql: "MySQL" };
const named = providers.map((provider) => [names[provider], provider] as const);

describe("over many drawn combinations of features", () => {
  const url = inject("postgresUrl");
  let written = 0;

  it.each(named)("C128 gives a caller the same responses and streams on %s", { timeout }, async (_name, provider) => {
    await checkCases(nonInterference(url, 60), provider, drawn(200 * share[provider]), sampleMs);
  });

  it("C128 gives a caller the same streams", { timeout }, async () => {
    const counts = await checkCases(streamInterference(url), "postgresql", drawn(80), sampleMs);
    if (slowShare >= 1) expect(counts["stream with events"]).toBeGreaterThan(0);
  });

  it.each(named)(
    "C57 changes by any path what the direct route changes on %s",
    { timeout },
    async (_name, provider) => {
      const counts = await checkCases(directWrites(url, 60), provider, drawn(150 * share[provider]), sampleMs);
      written += counts.written ?? 0;
    },
  );

  it("C129 replays the log to the table, restores states, and imports exports", { timeout }, async () => {
    const counts = await checkCases(replay(url, 60), "postgresql", drawn(120), sampleMs);
    written += counts.written ?? 0;
  });

  it.each(named)("C128 responds without a server error on every path on %s", { timeout }, async (_name, provider) => {
    const counts = await checkCases(responses(url, 100), provider, drawn(60 * share[provider]), sampleMs);
    written += counts.written ?? 0;
  });

  it.runIf(slowShare >= 1)("C57 writes at least 2,000 times", () => expect(written).toBeGreaterThanOrEqual(2000));
});
