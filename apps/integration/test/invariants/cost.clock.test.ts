import { afterAll, describe, expect, inject, it } from "vitest";
import { growth, inProportion, longestTurn } from "../../../../scripts/test/measure.js";
import { heapGrowth } from "../../../../scripts/test/measure-heap.js";
import { someOf } from "../../../../scripts/test/slow-share.js";
import { dropDatabases } from "./databases.js";
import { type SizedPath, sizedPaths } from "./sized-paths.js";
import { startSized } from "./start-sized.js";

afterAll(dropDatabases);

const maxTurn = 50;

describe("with drawn combinations of features", () => {
  it.each(someOf(sizedPaths))(
    "C59 the cost of a request grows in proportion to its size: $key",
    async (path: SizedPath) => {
      const sized = await startSized(path, inject("postgresUrl"));
      try {
        const about = sized.description;
        expect.soft(await growth(sized.run, path.max / 4), about).toBeLessThan(inProportion);
        expect.soft(await heapGrowth(sized.run, path.max / 4), about).toBeLessThan(inProportion);
        if (path.hasLongTurns === undefined)
          expect.soft(await longestTurn(() => sized.run(path.max), maxTurn), about).toBeLessThan(maxTurn);
      } finally {
        await sized.close();
      }
    },
  );
});
