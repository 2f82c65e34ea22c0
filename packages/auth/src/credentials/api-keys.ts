import { BlockList, isIP, isIPv6 } from "node:net";
import { LRUCache } from "lru-cache";
import { type ApiKey, isOfHash, makeApiKey, readApiKey } from "./api-key.js";
import type { KeyRows, KeyTerms, ShownKey, StoredKey } from "./key-rows.js";
import type { Owner, OwnerId } from "./owner.js";

/** A key that was just made: its text is shown once. */
export interface MadeKey {
  readonly key: ShownKey;
  readonly text: string;
}

/** The API keys of users (contract C72). */
export interface ApiKeys<User extends Owner> {
  create(user: OwnerId, terms: KeyTerms): Promise<MadeKey>;
  list(user: OwnerId): Promise<readonly ShownKey[]>;
  /** @returns `undefined` where the user has no such key */
  rename(id: string, user: OwnerId, name: string): Promise<ShownKey | undefined>;
  /** Another secret for the same key; the one before is good for `overlap` seconds more. */
  rotate(id: string, user: OwnerId, overlap: number): Promise<MadeKey | undefined>;
  remove(id: string, user: OwnerId): Promise<boolean>;
  /** Deletes all of the users that a condition of Prisma meets, such as those who were made inactive. */
  removeOf(users: Readonly<Record<string, unknown>>): Promise<void>;
  /**
   * The key that a text is, with its owner as the owner is now; `undefined` for one that is not accepted, whatever is wrong
   * with it.
   *
   * @param address from where it came
   */
  find(text: string, address: string | undefined): Promise<StoredKey<User> | undefined>;
}

/** What API keys are made from. */
export interface ApiKeysOptions<User extends Owner> {
  /** Where keys are good: lower-case letters, such as `live`. */
  readonly environment: string;
  readonly rows: KeyRows<User>;
  /** Is told what went wrong beside any request. */
  readonly onError: (error: unknown, message: string) => void;
}

/** That a key is used is written once in this time, in milliseconds. */
const touchEveryMs = 60_000;

/** What no key is: an unknown id takes as long as a wrong secret. */
const noHash = "A".repeat(43);

/** Makes the API keys of one service. */
export function makeApiKeys<User extends Owner>({ environment, rows, onError }: ApiKeysOptions<User>): ApiKeys<User> {
  const touched = new LRUCache<string, true>({ max: 10_000, ttl: touchEveryMs });
  const touch = ({ id, lastUsedAt }: StoredKey<User>): void => {
    if (touched.has(id) || Date.now() - (lastUsedAt?.getTime() ?? 0) < touchEveryMs) return;
    touched.set(id, true);
    rows.touch(id).catch((error: unknown) => onError(error, "that an API key was used cannot be written"));
  };
  return {
    async create(user, terms) {
      const made = makeApiKey(environment);
      return { key: await rows.create(made, user, terms), text: made.text };
    },
    list: (user) => rows.list(user),
    rename: (id, user, name) => rows.rename(id, user, name),
    async rotate(id, user, overlap) {
      const made = makeApiKey(environment, id);
      const key = await rows.rotate(made, user, new Date(Date.now() + overlap * 1000));
      return key && { key, text: made.text };
    },
    remove: (id, user) => rows.remove(id, user),
    removeOf: (condition) => rows.removeOf(condition),
    async find(text, address) {
      const key = readApiKey(text, environment);
      if (key === undefined) return undefined;
      const stored = await rows.find(key.id);
      if (!proves(key, stored) || stored === undefined) return undefined;
      if (!stored.record.isActive) {
        // It is not to be good again when its owner is.
        await rows.remove(key.id, stored.record.id);
        return undefined;
      }
      if (stored.expiresAt !== null && stored.expiresAt.getTime() <= Date.now()) return undefined;
      if (stored.addresses.length > 0 && !isAmong(address, stored.addresses)) return undefined;
      touch(stored);
      return stored;
    },
  };
}

function proves(key: ApiKey, stored: StoredKey<Owner> | undefined): boolean {
  const isNow = isOfHash(key, stored?.hash ?? noHash);
  const isBefore = isOfHash(key, stored?.previousHash ?? noHash);
  return isNow || (isBefore && (stored?.previousUntil?.getTime() ?? 0) > Date.now());
}

/** Whether a text is an address, or a network such as `10.0.0.0/8`. */
export function isAddressRange(text: string): boolean {
  const [address = "", bits, ...more] = text.split("/");
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function isAmong(address: string | undefined, ranges: readonly string[]): boolean {
  if (address === undefined || isIP(address) === 0) return false;
  const list = new BlockList();
  for (const range of ranges.filter(isAddressRange)) {
    const [from = "", bits] = range.split("/");
    const family = isIPv6(from) ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(from, family);
    else list.addSubnet(from, Number(bits), family);
  }
  return list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}
