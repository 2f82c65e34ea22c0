import { StartupError } from "@servicekit/service";
import type { Accounts } from "./access-rules.js";
import { storedAccounts } from "./dynamic.js";
import { noAccounts } from "./none.js";
import { fixedAccounts } from "./static.js";

const kinds: ReadonlyMap<string, Accounts> = new Map([
  ["", noAccounts],
  ["static", fixedAccounts],
  ["dynamic", storedAccounts],
]);

/**
 * The accounts in the variable `ACCOUNTS`: `static`, `dynamic`, or none.
 *
 * @throws {StartupError} for any other value
 */
export function readAccounts(name = ""): Accounts {
  const found = kinds.get(name);
  if (found !== undefined) return found;
  throw new StartupError([{ where: "ACCOUNTS", message: `must be static or dynamic, or be left out; it is ${name}.` }]);
}
