import { expect, it } from "vitest";
import { isSecret, makeSecret } from "../src/index.js";

it("C112 creates secrets of the form of the Standard Webhooks, each different", () => {
  const secrets = [makeSecret(), makeSecret()];
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(isSecret(secret)).toBe(true);
  }
  expect(new Set(secrets).size).toBe(2);
});

it.each([
  "",
  "whsec_",
  "whsec_c2hvcnQ=",
  "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  "whsec_not base64",
  `whsec_${"A".repeat(96)}`,
])("C112 rejects the secret %j", (text) => {
  expect(isSecret(text)).toBe(false);
});

it("C112 accepts the secret of the specification's example", () => {
  expect(isSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")).toBe(true);
});
