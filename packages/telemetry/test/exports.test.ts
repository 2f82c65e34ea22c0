import { expect, it } from "vitest";
import * as main from "../src/index.js";
import * as internal from "../src/internal.js";
import * as settings from "../src/settings.js";

it("exports exactly these values from @servicekit/telemetry", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "openMetrics",
      "openTracing",
      "traceHeaders",
    ]
  `);
});

it("exports exactly these values from @servicekit/telemetry/internal", () => {
  expect(Object.keys(internal).sort()).toMatchInlineSnapshot(`
    [
      "traceIdOf",
    ]
  `);
});

it("exports exactly these values from @servicekit/telemetry/settings", () => {
  expect(Object.keys(settings).sort()).toMatchInlineSnapshot(`
    [
      "metricsSchema",
      "readMetricsSettings",
    ]
  `);
});
