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
    "loadCommonPasswords",
    "loadTogether",
    "longestKeyName",
    "makeApiKey",
    "makeApiKeys",
    "makeKeyRows",
    "makePasswordHasher",
    "makeRefreshTokens",
    "makeSessionRows",
    "makeSessions",
    "makeWorkerBcrypt",
    "newPasswordSchema",
    "passwordErrors",
    "passwordSchema",
    "readApiKey",
    "readNewPassword",
    "readOwnedModel",
    "sessionFields",
    "sessionModelName",
  ]);
});
