import { expect, it } from "vitest";
import * as auth from "../src/index.js";

it("the public names", () => {
  expect(Object.keys(auth).sort()).toEqual([
    "authConfigSchema",
    "authErrors",
    "authModule",
    "authModuleFaults",
    "authVariables",
    "findAuthFaults",
    "findAuthWarnings",
    "hookedActs",
    "makeAuth",
    "makePasswordHasher",
    "makeRevokedTokens",
    "makeSharedRevokedTokens",
    "makeWorkerBcrypt",
    "readAuthSettings",
    "readUserModel",
    "userFacts",
  ]);
});
