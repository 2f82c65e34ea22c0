import { type AuthConfig, type AuthenticationConfig, type ServiceConfig, StartError } from "@servicekit/service";
import { storedAccounts } from "./dynamic.js";
import { noAccounts } from "./none.js";
import { fixedAccounts } from "./static.js";

/** Who may do what in the shop. */
export interface Accounts {
  /** Left out where nobody signs in. */
  readonly authentication?: AuthConfig;
  readonly models: NonNullable<ServiceConfig["models"]>;
  /** What the shop's own routes ask for; nothing where nobody signs in. */
  readonly routes: { readonly bestSellers?: AuthenticationConfig; readonly shipOrder?: AuthenticationConfig };
}

const kinds: ReadonlyMap<string, Accounts> = new Map([
  ["", noAccounts],
  ["static", fixedAccounts],
  ["dynamic", storedAccounts],
]);

/**
 * The accounts that the variable `ACCOUNTS` names: `static`, `dynamic`, or none.
 *
 * @throws {StartError} for any other word
 */
export function readAccounts(name = ""): Accounts {
  const found = kinds.get(name);
  if (found !== undefined) return found;
  throw new StartError([{ where: "ACCOUNTS", message: `must be static or dynamic, or be left out; it is ${name}.` }]);
}
