import { apiKeyIdLength } from "./api-key.js";
import { optionalText, optionalTime, text, texts, time, type Wanted } from "./owned-model.js";

/** The name of the model that keeps API keys; they are on where the schema has it. */
export const keyModelName = "AuthKey";

/** As many characters as the name of a key may have. */
export const longestKeyName = 80;

const id = text(apiKeyIdLength);

/** What API keys expect of the model (contract C72). */
export const keyFields = {
  id: {
    ...id,
    expected: `a String that is the id, for ${apiKeyIdLength} characters`,
    test: (field) => field.isId && id.test(field),
  },
  name: text(longestKeyName),
  hash: { ...text(43), isSecret: true },
  previousHash: { ...optionalText(43), isSecret: true },
  previousUntil: optionalTime,
  roles: texts,
  permissions: texts,
  addresses: texts,
  createdAt: time,
  expiresAt: optionalTime,
  lastUsedAt: optionalTime,
} satisfies Readonly<Record<string, Wanted>>;

export type KeyField = keyof typeof keyFields;
