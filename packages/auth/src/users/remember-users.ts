import type { RememberedOwners } from "../credentials/owner.js";
import { makeReadCache } from "../credentials/read-cache.js";
import type { UserRecord, UserStore } from "./user-store.js";

/** Users, some of whom are cached. */
export type RememberedUsers = UserStore & RememberedOwners<UserRecord>;

/**
 * A store that caches users with their roles and permissions (contract C29), so that a signed-in request needs no
 * query. Changes by this store take effect immediately, changes by others after the cache time.
 *
 * @param milliseconds how long a user is cached; 0 disables the cache
 */
export function rememberUsers(users: UserStore, milliseconds: number): RememberedUsers {
  const known = makeReadCache<UserRecord>(milliseconds);
  const changing = <Result>(user: Pick<UserRecord, "id">, work: () => Promise<Result>): Promise<Result> =>
    known.change(work, String(user.id));
  return {
    has: users.has,
    reading: () => {
      const store = known.reading();
      return (user) => store(String(user.id), user);
    },
    findById: async (id) => {
      const remembered = known.get(id);
      if (remembered !== undefined) return remembered;
      const store = known.reading();
      const found = await users.findById(id);
      if (found !== undefined) store(id, found);
      return found;
    },
    findByLogin: (field, name) => users.findByLogin(field, name),
    findByEmail: (address) => users.findByEmail(address),
    ...(users.hasName === undefined ? {} : { hasName: users.hasName.bind(users) }),
    create: (data, passwordHash) => users.create(data, passwordHash),
    update: (user, changes) => changing(user, () => users.update(user, changes)),
    setPassword: (user, passwordHash) => changing(user, () => users.setPassword(user, passwordHash)),
    recordLogin: (user) => changing(user, () => users.recordLogin(user)),
    setEmailVerified: (user) => changing(user, () => users.setEmailVerified(user)),
    remove: (id) => changing({ id }, () => users.remove(id)),
  };
}
