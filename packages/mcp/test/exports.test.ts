import { expect, it } from "vitest";
import * as main from "../src/index.js";
import * as internal from "../src/internal.js";
import * as settings from "../src/settings.js";

it("exports exactly these values from @servicekit/mcp", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "makeMcpRouter",
    ]
  `);
});

it("exports exactly these values from @servicekit/mcp/internal", () => {
  expect(Object.keys(internal).sort()).toMatchInlineSnapshot(`
    [
      "serveStdio",
    ]
  `);
});

it("exports exactly these values from @servicekit/mcp/settings", () => {
  expect(Object.keys(settings).sort()).toMatchInlineSnapshot(`
    [
      "mcpSchema",
      "readMcpSettings",
    ]
  `);
});
