import { httpErrors, isHttpError } from "@servicekit/core";
import type { AuthSettings } from "../configuration/auth-config.js";
import { readNewPassword } from "../credentials/password/check-password.js";
import type { LoginNames } from "./login-names.js";
import { userRules } from "./user-rules.js";
import type { UserRow } from "./user-store.js";

type TransformUsers = (model: string, values: UserRow, batch?: readonly UserRow[]) => Promise<UserRow>;

/** Transforms the values of a row before they are written: see `transformWrite` of `Auth`. */
export function transformUsers(
  hash: (password: string) => Promise<string>,
  { password: { maxPerRequest } }: AuthSettings,
  names: LoginNames,
  changedAt: string | undefined,
): TransformUsers {
  const hasPassword = (row: UserRow): boolean => Object.hasOwn(row, "password") && row.password !== undefined;
  const isTooMany = (batch: readonly UserRow[]): boolean =>
    batch.length > maxPerRequest && batch.filter(hasPassword).length > maxPerRequest;
  // Sequential, so that a bulk write waits like any other client and leaves room for sign-ins.
  let last: Promise<unknown> = Promise.resolve();
  const hashQueued = (password: string): Promise<string> => {
    const next = last.then(() => hash(password));
    last = next.catch(() => undefined);
    return next;
  };
  return async (model, values, batch = []) => {
    if (model !== userRules.model) return values;
    if (hasPassword(values) && isTooMany(batch)) {
      throw httpErrors.PayloadTooLarge(`A request may set at most ${maxPerRequest} passwords.`);
    }
    if (!hasPassword(values)) return names.toKept(values);
    // Only a string becomes a password: a hash is hashed like any other string, and operators are rejected.
    const { stored, password: next } = await readNewUser(values, names);
    const password = await hashQueued(next);
    return { ...(changedAt === undefined ? {} : { [changedAt]: new Date() }), ...stored, password };
  };
}

/**
 * Reads the names and the password of a row.
 *
 * @throws {HttpError} 400 with the errors of both
 */
export async function readNewUser(
  values: UserRow,
  names: LoginNames,
): Promise<{ readonly stored: UserRow; readonly password: string }> {
  const [stored, password] = await Promise.allSettled([
    Promise.resolve(values).then((row) => names.toKept(row)),
    readNewPassword(values.password, "password"),
  ]);
  if (stored.status === "fulfilled" && password.status === "fulfilled") {
    return { stored: stored.value, password: password.value };
  }
  const reasons = [stored, password].flatMap((read) => (read.status === "rejected" ? [read.reason as unknown] : []));
  const errors = reasons.flatMap((reason) => (isHttpError(reason) ? (reason.errors ?? []) : []));
  const unexpected = reasons.find((reason) => !isHttpError(reason));
  throw unexpected ?? httpErrors.ValidationError(undefined, { errors });
}
