import { afterAll, inject, it } from "vitest";
import { checkCases } from "./check-cases.js";
import { dropDatabases } from "./databases.js";
import { directWrites } from "./direct-writes.js";
import { nonInterference, streamInterference } from "./non-interference.js";
import { replay } from "./replay.js";
import { responses } from "./responses.js";

afterAll(dropDatabases);
const u = inject("postgresUrl");
const all = {
  ni: nonInterference(u, 40),
  st: streamInterference(u),
  dw: directWrites(u, 40),
  rp: replay(u, 40),
  rs: responses(u, 60),
};
it("runs one", { timeout: 3_600_000 }, async () => {
  await checkCases(
    all[process.env.INV as "ni"],
    (process.env.PROV ?? "postgresql") as "postgresql",
    Number(process.env.CASES ?? 6),
  );
});
