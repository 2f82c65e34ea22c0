import type { Provider } from "@servicekit/prisma/internal";
import { apiKeyIdLength } from "./api-key.js";
import { optionalText, optionalTime, text, texts, time, type Wanted } from "./owned-model.js";

/** The name of the model that stores API keys; they are on if the schema has it. */
export const keyModelName = "AuthKey";

/** Maximum length of a key's name. */
export const longestKeyName = 80;

const id = text(apiKeyIdLength);

/** The requirements of API keys for the model (contract C72). */
export const keyFields = (provider: Provider) =>
  ({
    id: {
      ...id,
      expected: `a String that is the id, for ${apiKeyIdLength} characters`,
      test: (field) => field.isId && id.test(field),
    },
    name: text(longestKeyName),
    hash: { ...text(43), isSecret: true },
    previousHash: { ...optionalText(43), isSecret: true },
    previousUntil: optionalTime,
    roles: texts(provider),
    permissions: texts(provider),
    addresses: texts(provider),
    createdAt: time,
    expiresAt: optionalTime,
    lastUsedAt: optionalTime,
  }) satisfies Readonly<Record<string, Wanted>>;

export type KeyField = keyof ReturnType<typeof keyFields>;
