import { expect, it } from "vitest";
import * as main from "../src/index.js";
import * as internal from "../src/internal.js";
import * as settings from "../src/settings.js";

it("exports exactly these values from @servicekit/auth", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "makeAuth",
      "makePasswordHasher",
      "makeSharedRevokedTokens",
      "readAuthSettings",
    ]
  `);
});

it("exports exactly these values from @servicekit/auth/internal", () => {
  expect(Object.keys(internal).sort()).toMatchInlineSnapshot(`
    [
      "readNewPassword",
      "readUserModel",
    ]
  `);
});

it("exports exactly these values from @servicekit/auth/settings", () => {
  expect(Object.keys(settings).sort()).toMatchInlineSnapshot(`
    [
      "authConfigSchema",
      "authModule",
      "authVariables",
      "findAuthIssues",
      "findAuthWarnings",
      "readAuthSettings",
      "userRules",
    ]
  `);
});
