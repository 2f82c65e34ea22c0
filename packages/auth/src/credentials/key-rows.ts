import { httpErrors } from "@servicekit/core";
import type { Database, Row } from "@servicekit/prisma";
import type { ApiKey } from "./api-key.js";
import type { KeyField } from "./key-model.js";
import type { OwnedModel } from "./owned-model.js";
import type { Owner, OwnerId, OwnerReader } from "./owner.js";

/** What somebody says of a key of theirs. */
export interface KeyTerms {
  readonly name: string;
  /** Of the owner's; empty for all of them. */
  readonly roles: readonly string[];
  /** Of the owner's, as `resource:action`; empty for all of them. */
  readonly permissions: readonly string[];
  /** Addresses and networks from where it is good; empty for everywhere. */
  readonly addresses: readonly string[];
  /** `null` for never. */
  readonly expiresAt: Date | null;
}

/** What the owner sees of a key. */
export interface ShownKey extends KeyTerms {
  readonly id: string;
  readonly createdAt: Date;
  /** To the minute. */
  readonly lastUsedAt: Date | null;
}

/** A key with its owner, and what proves it. */
export interface StoredKey<User extends Owner> extends ShownKey {
  readonly record: User;
  readonly hash: string;
  readonly previousHash: string | null;
  readonly previousUntil: Date | null;
}

/** The rows of API keys. */
export interface KeyRows<User extends Owner> {
  create(key: ApiKey, user: OwnerId, terms: KeyTerms): Promise<ShownKey>;
  /** With the owner, in one read. */
  find(id: string): Promise<StoredKey<User> | undefined>;
  /** The newest first. */
  list(user: OwnerId): Promise<readonly ShownKey[]>;
  /** @returns `undefined` where the user has no such key */
  rename(id: string, user: OwnerId, name: string): Promise<ShownKey | undefined>;
  /**
   * Puts another secret in the place of the one that is there, which stays good for a while.
   *
   * @returns `undefined` where the user has no such key
   * @throws {HttpError} 409 when another rotation was faster: each of them would show a secret, and one would be good
   */
  rotate(key: ApiKey, user: OwnerId, previousUntil: Date): Promise<ShownKey | undefined>;
  /** @returns whether the user had such a key */
  remove(id: string, user: OwnerId): Promise<boolean>;
  /** Deletes all of the users that a condition meets. */
  removeOf(users: Readonly<Record<string, unknown>>): Promise<void>;
  /** Keeps that it was used. */
  touch(id: string): Promise<void>;
}

/** As many as are listed at most. */
const mostListed = 100;

const shownNames = ["id", "name", "roles", "permissions", "addresses", "createdAt", "expiresAt", "lastUsedAt"] as const;

/** Keeps API keys in the model `AuthKey` of a database. */
export function makeKeyRows<User extends Owner>(
  database: Database,
  { model, owner, ownerKey }: OwnedModel<KeyField>,
  users: OwnerReader<User>,
): KeyRows<User> {
  const rows = database.of(model);
  const shown = Object.fromEntries(shownNames.map((name) => [name, true]));
  const proved = { ...shown, hash: true, previousHash: true, previousUntil: true };
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
        select: { ...proved, [owner.name]: { select: users.select } },
      });
      if (row === null) return undefined;
      return { ...(row as unknown as StoredKey<User>), record: users.toRecord(row[owner.name] as Row) };
    },
    async list(user) {
      const found = await rows.findMany({
        where: { [ownerKey]: user },
        orderBy: { createdAt: "desc" },
        select: shown,
        take: mostListed,
      });
      return found as unknown as readonly ShownKey[];
    },
    rename: (id, user, name) => change(id, user, { name }),
    async rotate({ id, hash }, user, previousUntil) {
      const stored = await rows.findFirst({ where: { id, [ownerKey]: user }, select: { hash: true } });
      if (stored === null) return undefined;
      const data = { hash, previousHash: stored.hash, previousUntil };
      const [row] = await rows.updateMany({ where: { id, [ownerKey]: user, hash: stored.hash }, data, select: shown });
      if (row === undefined) throw httpErrors.Conflict("Another request has just given this key another secret.");
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
