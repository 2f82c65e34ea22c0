import { toJsonValue } from "@servicekit/prisma/internal";
import type { UserRow } from "./user-store.js";

/** A user as a response shows it: without the fields that are hidden, each value in the form of contract C4. */
export function showUser(user: UserRow, isHiddenName: (name: string) => boolean): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(user)) if (!isHiddenName(name)) shown[name] = toJsonValue(value);
  return shown;
}
