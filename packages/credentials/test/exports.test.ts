import { expect, it } from "vitest";
import * as credentials from "../src/index.js";

it("exports these names", () => {
  expect(Object.keys(credentials).sort()).toEqual([
    "makeRefreshTokens",
    "makeSessionRows",
    "makeSessions",
    "readOwnedModel",
    "sessionFields",
    "sessionModelName",
  ]);
});
