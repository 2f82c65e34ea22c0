import { readNewPassword } from "@servicekit/credentials";
import { httpErrors } from "@servicekit/errors";
import type { AuthSettings } from "../settings.js";
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
    const kept = names.toKept(values);
    if (!hasPassword(values)) return kept;
    // Only a text becomes a password: a hash is one like any other, and no operator slips through.
    const password = await hashInTurn(await readNewPassword(values.password, "password"));
    return { ...(changedAt === undefined ? {} : { [changedAt]: new Date() }), ...kept, password };
  };
}
