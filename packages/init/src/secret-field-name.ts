/** The names of secrets. Letter case and underscores make no difference. */
const secrets: ReadonlySet<string> = new Set(
  [
    ...["password", "passwordHash", "hashedPassword", "passwd", "pwd", "secret", "otp", "totp"],
    ...["apiKey", "accessToken", "refreshToken", "resetToken", "salt"],
  ].map((name) => name.toLowerCase()),
);

/** The words after the name of a secret that describe a form of the same value: `apiKeyHash`, `secretAccessKey`, `oldPassword2`. */
const forms: ReadonlySet<string> = new Set([
  ...["access", "key", "code", "token", "value", "text", "string", "data", "bytes", "seed"],
  ...["hash", "hashed", "digest", "sha", "md", "bcrypt", "scrypt", "argon", "encrypted", "cipher", "ciphertext"],
  ...["plain", "plaintext", "clear", "cleartext", "raw", "hex", "base", "encoded", "backup"],
  ...["old", "new", "current", "previous", "next"],
]);

/**
 * Whether a field with this name contains a secret, by its words in camel or snake case: they end with the words of a
 * secret, or only numbers and words for a form of the same value follow. `userPasswordHash` and `api_key_2` are secrets;
 * `saltLevel`, `secretary` and `apiKeyName` are not.
 */
export function isSecretFieldName(name: string): boolean {
  const words = (name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\d+/gu) ?? []).map((word) => word.toLowerCase());
  return words.some((_, start) =>
    words.slice(start).some((_, length) => {
      const end = start + length + 1;
      return isSecret(words.slice(start, end).join("")) && words.slice(end).every(isForm);
    }),
  );
}

const isSecret = (text: string): boolean => secrets.has(text) || secrets.has(text.replace(/s$/, ""));

const isForm = (word: string): boolean => /^\d+$/.test(word) || forms.has(word) || forms.has(word.replace(/s$/, ""));
