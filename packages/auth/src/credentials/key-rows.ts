import { httpErrors } from "@servicekit/core";
import type { Database, Row } from "@servicekit/prisma";
import type { ApiKey } from "./api-key.js";
import type { KeyField } from "./key-model.js";
import type { OwnedModel } from "./owned-model.js";
import type { Owner, OwnerId, OwnerReader } from "./owner.js";

/** The settings of a key by its owner. */
export interface KeyTerms {
  readonly name: string;
  /** A subset of the owner's roles; empty for all. */
  readonly roles: readonly string[];
  /** A subset of the owner's permissions, as `resource:action`; empty for all. */
  readonly permissions: readonly string[];
  /** The addresses and networks that may use the key; empty for all. */
  readonly addresses: readonly string[];
  /** `null` for never. */
  readonly expiresAt: Date | null;
}

/** The representation of a key for its owner. */
export interface ShownKey extends KeyTerms {
  readonly id: string;
  readonly createdAt: Date;
  /** Rounded to the minute. */
  readonly lastUsedAt: Date | null;
}

/** A key with its owner and its hashes. */
export interface StoredKey<User extends Owner> extends ShownKey {
  readonly record: User;
  readonly hash: string;
  readonly previousHash: string | null;
  readonly previousUntil: Date | null;
}

/** The rows of API keys. */
export interface KeyRows<User extends Owner> {
  create(key: ApiKey, user: OwnerId, terms: KeyTerms): Promise<ShownKey>;
  /** With the owner, in one query. */
  find(id: string): Promise<StoredKey<User> | undefined>;
  /** Newest first. */
  list(user: OwnerId): Promise<readonly ShownKey[]>;
  /** @returns `undefined` where the user has no such key */
  rename(id: string, user: OwnerId, name: string): Promise<ShownKey | undefined>;
  /**
   * Replaces the secret; the previous one stays valid for a while.
   *
   * @returns `undefined` if the user has no such key
   * @throws {HttpError} 409 if another rotation was faster: each would show a secret, and one would be invalid
   */
  rotate(key: ApiKey, user: OwnerId, previousUntil: Date): Promise<ShownKey | undefined>;
  /** @returns whether the user had such a key */
  remove(id: string, user: OwnerId): Promise<boolean>;
  /** Deletes all keys of the users that match a condition. */
  removeOf(users: Readonly<Record<string, unknown>>): Promise<void>;
  /** Stores its last use. */
  touch(id: string): Promise<void>;
}

/** Maximum number of listed keys. */
const maxListed = 100;

const shownNames = ["id", "name", "roles", "permissions", "addresses", "createdAt", "expiresAt", "lastUsedAt"] as const;

/** Stores API keys in the model `AuthKey` of a database. */
export function makeKeyRows<User extends Owner>(
  database: Database,
  { model, owner, ownerKey }: OwnedModel<KeyField>,
  users: OwnerReader<User>,
): KeyRows<User> {
  const rows = database.of(model);
  const shown = Object.fromEntries(shownNames.map((name) => [name, true]));
  const verified = { ...shown, hash: true, previousHash: true, previousUntil: true };
  const change = async (id: string, user: OwnerId, data: Row): Promise<ShownKey | undefined> => {
    const [row] = await rows.updateMany({ where: { id, [ownerKey]: user }, data, select: shown });
    return row as ShownKey | undefined;
  };
  return {
    async create({ id, hash }, user, terms) {
      const data = { id, hash, [ownerKey]: user, createdAt: new Date(), ...terms };
      return (await rows.create({ data, select: shown })) as unknown as ShownKey;
    },
    async find(id) {
      const row = await rows.findUnique({
        where: { id },
        select: { ...verified, [owner.name]: { select: users.select } },
      });
      // JSON that is not a list restricts the key in an unknown way.
      if (row === null || ![row.roles, row.permissions, row.addresses].every(isTexts)) return undefined;
      return { ...(row as unknown as StoredKey<User>), record: users.toRecord(row[owner.name] as Row) };
    },
    async list(user) {
      const found = await rows.findMany({
        where: { [ownerKey]: user },
        orderBy: { createdAt: "desc" },
        select: shown,
        take: maxListed,
      });
      return found as unknown as readonly ShownKey[];
    },
    rename: (id, user, name) => change(id, user, { name }),
    async rotate({ id, hash }, user, previousUntil) {
      const stored = await rows.findFirst({ where: { id, [ownerKey]: user }, select: { hash: true } });
      if (stored === null) return undefined;
      const data = { hash, previousHash: stored.hash, previousUntil };
      const [row] = await rows.updateMany({ where: { id, [ownerKey]: user, hash: stored.hash }, data, select: shown });
      if (row === undefined) throw httpErrors.Conflict("Another request has just rotated this key.");
      return row as unknown as ShownKey;
    },
    remove: async (id, user) => (await rows.deleteMany({ where: { id, [ownerKey]: user } })) > 0,
    async removeOf(condition) {
      await rows.deleteMany({ where: { [owner.name]: condition } });
    },
    async touch(id) {
      await rows.updateMany({ where: { id }, data: { lastUsedAt: new Date() }, select: { id: true } });
    },
  };
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((text) => typeof text === "string");
