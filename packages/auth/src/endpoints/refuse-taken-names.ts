import type { FieldFault } from "@servicekit/core";
import { ormErrors } from "@servicekit/prisma/internal";
import type { UserRecord, UserRow } from "../users/user-store.js";
import type { EndpointContext } from "./endpoint.js";

/**
 * Names from before they were kept in one spelling are not told apart by the database's index.
 *
 * @throws {HttpError} 409 for a name that differs from another user's in nothing but case
 */
export async function refuseTakenNames(
  data: UserRow,
  { users, names, settings }: EndpointContext,
  self?: UserRecord,
): Promise<void> {
  if (!settings.login.normalizeNames || users.hasName === undefined) return;
  // The address last: what else is taken is told whether a user has the address or nobody.
  const fields = [...names.fields].sort((one, other) => Number(one === "email") - Number(other === "email"));
  for (const field of fields) {
    const name = data[field];
    if (typeof name !== "string" || !(await users.hasName(field, name, self?.id))) continue;
    const message = `Another user has the same ${field}.`;
    const errors: FieldFault[] = [{ in: "body", path: `/${field}`, code: "UniqueConstraint", message }];
    throw ormErrors.UniqueConstraint(message, { errors });
  }
}
