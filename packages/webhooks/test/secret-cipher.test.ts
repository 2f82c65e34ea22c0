import { randomBytes } from "node:crypto";
import { compactDecrypt, decodeProtectedHeader } from "jose";
import { describe, expect, it } from "vitest";
import { makeSecret, makeSecretCipher } from "../src/index.js";
import { encryptedLength } from "../src/secret-cipher.js";

const makeKey = () => randomBytes(32).toString("base64");
const [old, current] = [makeKey(), makeKey()];

describe("C112 the cipher of stored secrets", () => {
  it("stores a secret as it is without a key", async () => {
    const secret = makeSecret();
    const cipher = makeSecretCipher([]);
    expect(await cipher.encrypt(secret)).toBe(secret);
    expect(await cipher.decrypt(secret)).toBe(secret);
  });

  it("stores a JWE with A256GCM, a different one each time", async () => {
    const secret = makeSecret();
    const cipher = makeSecretCipher([current]);
    const [one, two] = await Promise.all([cipher.encrypt(secret), cipher.encrypt(secret)]);
    expect(one).not.toBe(two);
    expect(one).not.toContain(secret);
    expect(one).toHaveLength(encryptedLength);
    expect(decodeProtectedHeader(one)).toEqual({ alg: "dir", enc: "A256GCM" });
    const { plaintext } = await compactDecrypt(one, Buffer.from(current, "base64"));
    expect(Buffer.from(plaintext).toString()).toBe(secret);
    expect(await cipher.decrypt(one)).toBe(secret);
  });

  it("reads secrets that were stored without a key", async () => {
    const secret = makeSecret();
    expect(await makeSecretCipher([current]).decrypt(secret)).toBe(secret);
    expect(await makeSecretCipher([current]).decrypt("any text")).toBe("any text");
  });

  it("encrypts with the first key, and decrypts with all", async () => {
    const stored = await makeSecretCipher([old]).encrypt("a secret");
    const both = makeSecretCipher([current, old]);
    expect(await both.decrypt(stored)).toBe("a secret");
    expect(await makeSecretCipher([current]).decrypt(await both.encrypt("a secret"))).toBe("a secret");
  });

  it("rejects a secret that no key decrypts, and a changed one", async () => {
    const stored = await makeSecretCipher([old]).encrypt("a secret");
    const changed = `${stored.slice(0, -2)}${stored.endsWith("AA") ? "BB" : "AA"}`;
    for (const [keys, text] of [
      [[current], stored],
      [[], stored],
      [[old], changed],
    ] as const)
      await expect(makeSecretCipher(keys).decrypt(text)).rejects.toThrow(
        "no key of webhooks.encryptionKey (WEBHOOK_ENCRYPTION_KEY) decrypts it. Add its key, or rotate the secret.",
      );
  });
});
