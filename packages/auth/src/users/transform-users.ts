import { httpErrors, isHttpError } from "@servicekit/core";
import type { AuthSettings } from "../configuration/auth-config.js";
import { readNewPassword } from "../credentials/password/check-password.js";
import type { LoginNames } from "./login-names.js";
import { userFacts } from "./user-facts.js";
import type { UserRow } from "./user-store.js";

type TransformUsers = (model: string, values: UserRow, batch?: readonly UserRow[]) => Promise<UserRow>;

/** Makes what is written in place of the values of a row: see `transformWrite` of `Auth`. */
export function transformUsers(
  hash: (password: string) => Promise<string>,
  { password: { mostPerRequest } }: AuthSettings,
  names: LoginNames,
  changedAt: string | undefined,
): TransformUsers {
  const hasPassword = (row: UserRow): boolean => Object.hasOwn(row, "password") && row.password !== undefined;
  const isTooMany = (batch: readonly UserRow[]): boolean =>
    batch.length > mostPerRequest && batch.filter(hasPassword).length > mostPerRequest;
  // One after the other: a bulk waits for its turns like anybody else, and leaves room for those who sign in.
  let last: Promise<unknown> = Promise.resolve();
  const hashInTurn = (password: string): Promise<string> => {
    const next = last.then(() => hash(password));
    last = next.catch(() => undefined);
    return next;
  };
  return async (model, values, batch = []) => {
    if (model !== userFacts.model) return values;
    if (hasPassword(values) && isTooMany(batch)) {
      throw httpErrors.PayloadTooLarge(`A request may write at most ${mostPerRequest} passwords.`);
    }
    if (!hasPassword(values)) return names.toKept(values);
    // Only a text becomes a password: a hash is one like any other, and no operator slips through.
    const { kept, password: next } = await readNewUser(values, names);
    const password = await hashInTurn(next);
    return { ...(changedAt === undefined ? {} : { [changedAt]: new Date() }), ...kept, password };
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
): Promise<{ readonly kept: UserRow; readonly password: string }> {
  const [kept, password] = await Promise.allSettled([
    Promise.resolve(values).then((row) => names.toKept(row)),
    readNewPassword(values.password, "password"),
  ]);
  if (kept.status === "fulfilled" && password.status === "fulfilled") {
    return { kept: kept.value, password: password.value };
  }
  const reasons = [kept, password].flatMap((read) => (read.status === "rejected" ? [read.reason as unknown] : []));
  const errors = reasons.flatMap((reason) => (isHttpError(reason) ? (reason.errors ?? []) : []));
  const unexpected = reasons.find((reason) => !isHttpError(reason));
  throw unexpected ?? httpErrors.ValidationError(undefined, { errors });
}
