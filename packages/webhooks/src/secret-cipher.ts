/** Encrypts secrets before they are stored, and decrypts them before they sign messages. */
export interface SecretCipher {
  /** Returns the stored form of a secret: the secret itself if there is no key. */
  encrypt(secret: string): Promise<string>;
  /**
   * Returns the secret of a stored form, which may be the secret itself.
   *
   * @throws {Error} if it is encrypted, and no key decrypts it
   */
  decrypt(stored: string): Promise<string>;
}

/** The compact form of a JWE whose content is encrypted directly with the key (RFC 7516). */
const encrypted = /^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/;

const algorithms = { alg: "dir", enc: "A256GCM" } as const;

/** The length of the stored form of a secret that {@link makeSecret} returns. */
export const encryptedLength = 148;

/**
 * Creates a cipher: JWE with A256GCM. `jose` is loaded only if it is used.
 *
 * @param encryptionKeys 32 bytes each, in base64: the first encrypts, all decrypt
 */
export function makeSecretCipher(encryptionKeys: readonly string[]): SecretCipher {
  const keys = encryptionKeys.map((key) => Buffer.from(key, "base64"));
  const [first] = keys;
  return {
    async encrypt(secret) {
      if (first === undefined) return secret;
      const { CompactEncrypt } = await import("jose");
      return new CompactEncrypt(Buffer.from(secret)).setProtectedHeader(algorithms).encrypt(first);
    },
    async decrypt(stored) {
      if (!encrypted.test(stored)) return stored;
      const { compactDecrypt } = await import("jose");
      const { alg, enc } = algorithms;
      const options = { keyManagementAlgorithms: [alg], contentEncryptionAlgorithms: [enc] };
      for (const key of keys) {
        const found = await compactDecrypt(stored, key, options).catch(() => undefined);
        if (found !== undefined) return Buffer.from(found.plaintext).toString();
      }
      throw new Error(
        "The secret of the webhook is encrypted, and no key of webhooks.encryptionKey (WEBHOOK_ENCRYPTION_KEY) decrypts it. Add its key, or rotate the secret.",
      );
    },
  };
}
