import { expect, it } from "vitest";
import * as main from "../src/index.js";
import * as settings from "../src/settings.js";

it("exports exactly these values from @servicekit/idempotency", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "idempotencyErrors",
      "makeDatabaseKeys",
      "makeIdempotency",
      "makeMemoryKeys",
      "makeRedisKeys",
      "readKeyModel",
    ]
  `);
});

it("exports exactly these values from @servicekit/idempotency/settings", () => {
  expect(Object.keys(settings).sort()).toMatchInlineSnapshot(`
    [
      "idempotencySchema",
      "keyModelName",
    ]
  `);
});
