import { expect, it } from "vitest";
import * as main from "../src/index.js";
import * as internal from "../src/internal.js";
import * as settings from "../src/overload/settings.js";

it("exports exactly these values from @servicekit/server", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "makeFetch",
      "watchConnections",
    ]
  `);
});

it("exports exactly these values from @servicekit/server/internal", () => {
  expect(Object.keys(internal).sort()).toMatchInlineSnapshot(`
    [
      "inSequence",
      "joinWorkers",
      "openLoadShedding",
      "runWorkers",
      "timeLimits",
      "watchResponses",
      "withOverload",
      "withinGate",
    ]
  `);
});

it("exports exactly these values from @servicekit/server/settings", () => {
  expect(Object.keys(settings).sort()).toMatchInlineSnapshot(`
    [
      "loadSheddingSchema",
      "readLoadShedding",
    ]
  `);
});
