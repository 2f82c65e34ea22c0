import type { ValidationIssue } from "@servicekit/core";
import { ormErrors } from "@servicekit/prisma/internal";
import type { UserRecord, UserRow } from "../users/user-store.js";
import type { EndpointContext } from "./endpoint.js";

/**
 * Names from before the normalization are not covered by the database's index.
 *
 * @throws {HttpError} 409 for a name that equals another user's except for case
 */
export async function rejectTakenNames(
  data: UserRow,
  { users, names, settings }: EndpointContext,
  self?: UserRecord,
): Promise<void> {
  if (!settings.login.normalizeNames || users.hasName === undefined) return;
  // The address last, so that other conflicts are reported whether or not a user has the address.
  const fields = [...names.fields].sort((one, other) => Number(one === "email") - Number(other === "email"));
  for (const field of fields) {
    const name = data[field];
    if (typeof name !== "string" || !(await users.hasName(field, name, self?.id))) continue;
    const message = `Another user has the same ${field}.`;
    const errors: ValidationIssue[] = [{ in: "body", path: `/${field}`, code: "UniqueConstraint", message }];
    throw ormErrors.UniqueConstraint(message, { errors });
  }
}
