import { LRUCache } from "lru-cache";
import type { RememberedOwners } from "../credentials/owner.js";
import type { UserRecord, UserStore } from "./user-store.js";

/** Maximum number of cached users. */
const maxUsers = 10_000;

/** Users, some of whom are cached. */
export type RememberedUsers = UserStore & RememberedOwners<UserRecord>;

/**
 * A store that caches users with their roles and permissions (contract C29), so that a signed-in request needs no
 * query. Changes by this store take effect immediately, changes by others after the cache time.
 *
 * @param milliseconds how long a user is cached; 0 disables the cache
 */
export function rememberUsers(users: UserStore, milliseconds: number): RememberedUsers {
  const known = milliseconds === 0 ? undefined : new LRUCache<string, UserRecord>({ max: maxUsers, ttl: milliseconds });
  const forgetting = async <Result>(user: Pick<UserRecord, "id">, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } finally {
      known?.delete(String(user.id));
    }
  };
  return {
    has: users.has,
    remember: (user) => void known?.set(String(user.id), user),
    findById: async (id) => {
      const remembered = known?.get(id);
      if (remembered !== undefined) return remembered;
      const found = await users.findById(id);
      if (found !== undefined) known?.set(id, found);
      return found;
    },
    findByLogin: (field, name) => users.findByLogin(field, name),
    findByEmail: (address) => users.findByEmail(address),
    ...(users.hasName === undefined ? {} : { hasName: users.hasName.bind(users) }),
    create: (data, passwordHash) => users.create(data, passwordHash),
    update: (user, changes) => forgetting(user, () => users.update(user, changes)),
    setPassword: (user, passwordHash) => forgetting(user, () => users.setPassword(user, passwordHash)),
    recordLogin: (user) => forgetting(user, () => users.recordLogin(user)),
    setEmailVerified: (user) => forgetting(user, () => users.setEmailVerified(user)),
    remove: (id) => forgetting({ id }, () => users.remove(id)),
  };
}
