import { BlockList, isIP, isIPv6 } from "node:net";
import { LRUCache } from "lru-cache";
import { type ApiKey, isOfHash, makeApiKey, readApiKey } from "./api-key.js";
import type { KeyRows, KeyTerms, ShownKey, StoredKey } from "./key-rows.js";
import type { Owner, OwnerId } from "./owner.js";

/** A new key; its text is shown only once. */
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
  /** Rotates the secret of a key; the previous one stays valid for `overlap` seconds. */
  rotate(id: string, user: OwnerId, overlap: number): Promise<MadeKey | undefined>;
  remove(id: string, user: OwnerId): Promise<boolean>;
  /** Deletes all keys of the users that match a Prisma condition, such as deactivated ones. */
  removeOf(users: Readonly<Record<string, unknown>>): Promise<void>;
  /**
   * The key of a string, with the current state of its owner; `undefined` for a rejected one, whatever the reason.
   *
   * @param address the address of the client
   */
  find(text: string, address: string | undefined): Promise<StoredKey<User> | undefined>;
}

/** The options of API keys. */
export interface ApiKeysOptions<User extends Owner> {
  /** The environment of the keys: lower-case letters, such as `live`. */
  readonly environment: string;
  readonly rows: KeyRows<User>;
  /** Receives errors that belong to no request. */
  readonly onError: (error: unknown, message: string) => void;
}

/** The interval in which the last use of a key is stored, in milliseconds. */
const touchEveryMs = 60_000;

/** A hash that matches no key, so that an unknown id takes as long as a wrong secret. */
const noHash = "A".repeat(43);

/** Creates the API keys of one service. */
export function makeApiKeys<User extends Owner>({ environment, rows, onError }: ApiKeysOptions<User>): ApiKeys<User> {
  const touched = new LRUCache<string, true>({ max: 10_000, ttl: touchEveryMs });
  const touch = ({ id, lastUsedAt }: StoredKey<User>): void => {
    if (touched.has(id) || Date.now() - (lastUsedAt?.getTime() ?? 0) < touchEveryMs) return;
    touched.set(id, true);
    rows.touch(id).catch((error: unknown) => onError(error, "the last use of an API key cannot be stored"));
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
      if (!verifies(key, stored) || stored === undefined) return undefined;
      if (!stored.record.isActive) {
        // It must not become valid again with its owner.
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

function verifies(key: ApiKey, stored: StoredKey<Owner> | undefined): boolean {
  const isNow = isOfHash(key, stored?.hash ?? noHash);
  const isBefore = isOfHash(key, stored?.previousHash ?? noHash);
  return isNow || (isBefore && (stored?.previousUntil?.getTime() ?? 0) > Date.now());
}

/** Whether a string is an IP address, or a network such as `10.0.0.0/8`. */
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
