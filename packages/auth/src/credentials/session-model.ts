import { optionalText, text, time } from "./owned-model.js";

/** The name of the model that stores sessions; they are on if the schema has it. */
export const sessionModelName = "AuthSession";

const hash = { ...text(43), isSecret: true };

/** The requirements of sessions for the model (contract C72). */
export const sessionFields = {
  id: { ...text(36), expected: "a String that is the id, for 36 characters", test: isId },
  refreshHash: hash,
  previousHash: { ...optionalText(43), isSecret: true },
  rotatedAt: time,
  createdAt: time,
  seenAt: time,
  expiresAt: time,
  address: { ...optionalText(45), canMiss: true },
  userAgent: { ...optionalText(1), canMiss: true },
} as const;

export type SessionField = keyof typeof sessionFields;

function isId(field: Parameters<typeof hash.test>[0]): boolean {
  return field.isId && text(36).test(field);
}
