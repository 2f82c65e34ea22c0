import { expect, it } from "vitest";
import * as credentials from "../src/index.js";

it("exports these names", () => {
  expect(Object.keys(credentials).sort()).toEqual([
    "apiKeyPrefix",
    "isAddressRange",
    "isApiKeyId",
    "isOfHash",
    "keyFields",
    "keyModelName",
    "loadTogether",
    "longestKeyName",
    "makeApiKey",
    "makeApiKeys",
    "makeKeyRows",
    "makeRefreshTokens",
    "makeSessionRows",
    "makeSessions",
    "readApiKey",
    "readOwnedModel",
    "sessionFields",
    "sessionModelName",
  ]);
});
