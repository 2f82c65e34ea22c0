import { LRUCache } from "lru-cache";
import type { RememberedOwners } from "../credentials/owner.js";
import type { UserRecord, UserStore } from "./user-store.js";

/** As many users as are remembered at a time. */
const mostUsers = 10_000;

/** Users, some of whom are remembered. */
export type RememberedUsers = UserStore & RememberedOwners<UserRecord>;

/**
 * A store that remembers users with their roles and permissions for a while (contract C29): a signed-in request then
 * reads nothing. What this store changes is forgotten at once; what others change is felt when the time is over.
 *
 * @param milliseconds how long a user is remembered; 0 remembers nobody
 */
export function rememberUsers(users: UserStore, milliseconds: number): RememberedUsers {
  const known =
    milliseconds === 0 ? undefined : new LRUCache<string, UserRecord>({ max: mostUsers, ttl: milliseconds });
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
