import type { Caller } from "@servicekit/router";
import type { TenantConfig } from "./tenant-config.js";

/** The names that `tenant.of` reads of a caller and its user, and that these do not have. */
export interface MissingReads {
  readonly ofCaller: readonly string[];
  readonly ofUser: readonly string[];
}

/** Calls `tenant.of` with a caller, and finds what it reads in vain. Its result and its errors do not matter. */
export function findMissingReads(of: TenantConfig["of"], caller: Caller): MissingReads {
  const ofCaller = new Set<string>();
  const ofUser = new Set<string>();
  const user = watch(caller.user, ofUser);
  const watched = watch({ ...caller, user }, ofCaller, callerKeys);
  try {
    Promise.resolve(of(watched)).catch(() => undefined);
  } catch {
    // It may reject this caller.
  }
  return { ofCaller: [...ofCaller], ofUser: [...ofUser] };
}

/** The keys of a caller, some of which not every caller has. */
export const callerKeys: readonly string[] = ["id", "roles", "isSuperUser", "user", "identifiedBy", "keyId"];

/** The names that JavaScript itself reads of a value. */
const ofLanguage: ReadonlySet<string> = new Set(["then", "toJSON"]);

function watch<Value extends object>(value: Value, missing: Set<string>, optional: readonly string[] = []): Value {
  return new Proxy(value, {
    get(target, name, receiver) {
      if (typeof name === "string" && !(name in target) && !optional.includes(name) && !ofLanguage.has(name))
        missing.add(name);
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
}
