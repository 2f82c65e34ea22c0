import type { Database, Row } from "@servicekit/prisma";
import { deleteExpired } from "@servicekit/prisma/internal";
import { loadTogether } from "./load-together.js";
import type { OwnedModel } from "./owned-model.js";
import type { Client, Owner, OwnerId, OwnerReader } from "./owner.js";
import type { SessionField } from "./session-model.js";

/** A session with its user. */
export interface SessionOfUser<User extends Owner> {
  readonly expiresAt: Date;
  readonly record: User;
}

/** A session with the hashes of its refresh tokens. */
export interface StoredSession<User extends Owner> extends SessionOfUser<User> {
  readonly refreshHash: string;
  readonly previousHash: string | null;
  readonly rotatedAt: Date;
}

/** The representation of a session for its user. */
export interface ShownSession {
  readonly id: string;
  readonly createdAt: Date;
  /** When it was started or last refreshed. */
  readonly seenAt: Date;
  readonly expiresAt: Date;
  readonly rotatedAt: Date;
  readonly address?: string | null;
  readonly userAgent?: string | null;
}

/** The rows of sessions. */
export interface SessionRows<User extends Owner> {
  create(session: { id: string; user: OwnerId; hash: string; expiresAt: Date }, client: Client): Promise<void>;
  /** With the user, in one query; the reads of one event loop tick share one query. */
  find(id: string): Promise<SessionOfUser<User> | undefined>;
  findStored(id: string): Promise<StoredSession<User> | undefined>;
  /**
   * Replaces the hash of a token by that of its successor.
   *
   * @param from the expected hash; `undefined` for any
   * @returns whether it matched
   */
  rotate(
    id: string,
    change: { from: string | undefined; to: string; expiresAt: Date },
    client: Client,
  ): Promise<boolean>;
  /** The unexpired sessions of a user, newest use first. */
  list(user: OwnerId): Promise<readonly ShownSession[]>;
  /** Ends one session; with `user` only if it is theirs. @returns whether it existed */
  end(id: string, user?: OwnerId): Promise<boolean>;
  /** Ends all sessions of a user except one. */
  endAll(user: OwnerId, except?: string): Promise<void>;
  /** Ends all sessions of the users that match a condition. */
  endOf(users: Readonly<Record<string, unknown>>): Promise<void>;
  /** Deletes expired sessions in batches. @returns their number; 0 if another process is deleting */
  deleteExpired(signal?: AbortSignal): Promise<number>;
}

/** Maximum number of listed sessions. */
const maxListed = 100;

/** Stores sessions in the model `AuthSession` of a database: an ended session has no row. */
export function makeSessionRows<User extends Owner>(
  database: Database,
  { model, owner, ownerKey, has, longest }: OwnedModel<SessionField>,
  users: OwnerReader<User>,
): SessionRows<User> {
  const rows = database.of(model);
  const withUser = { id: true, expiresAt: true, [owner.name]: { select: users.select } };
  const withHashes = { ...withUser, refreshHash: true, previousHash: true, rotatedAt: true };
  const shownNames = ["id", "createdAt", "seenAt", "expiresAt", "rotatedAt", "address", "userAgent"] as const;
  const shown = Object.fromEntries(shownNames.filter((name) => has.has(name)).map((name) => [name, true]));
  const toSession = (row: Row): SessionOfUser<User> => ({
    expiresAt: row.expiresAt as Date,
    record: users.toRecord(row[owner.name] as Row),
  });
  const load = loadTogether(async (ids: readonly string[]): Promise<ReadonlyMap<string, Row>> => {
    const [only, ...others] = ids;
    const found =
      others.length === 0
        ? [await rows.findUnique({ where: { id: only }, select: withUser })].filter((row) => row !== null)
        : await rows.findMany({ where: { id: { in: ids } }, select: withUser });
    return new Map(found.map((row) => [String(row.id), row]));
  });
  const clientOf = ({ address, userAgent }: Client): Row => ({
    ...(has.has("address") ? { address: address ?? null } : {}),
    ...(has.has("userAgent") ? { userAgent: userAgent?.slice(0, Math.min(longest("userAgent"), 400)) ?? null } : {}),
  });

  return {
    async create({ id, user, hash, expiresAt }, client) {
      const now = new Date();
      const times = { createdAt: now, seenAt: now, rotatedAt: now, expiresAt };
      await rows.create({
        data: { id, [ownerKey]: user, refreshHash: hash, ...times, ...clientOf(client) },
        select: { id: true },
      });
    },
    async find(id) {
      const row = await load(id);
      return row && toSession(row);
    },
    async findStored(id) {
      const row = await rows.findUnique({ where: { id }, select: withHashes });
      if (row === null) return undefined;
      const { refreshHash, previousHash, rotatedAt } = row as unknown as StoredSession<User>;
      return { ...toSession(row), refreshHash, previousHash, rotatedAt };
    },
    async rotate(id, { from, to, expiresAt }, client) {
      const now = new Date();
      const changed = await rows.updateMany({
        where: { id, ...(from === undefined ? {} : { refreshHash: from }) },
        data: {
          refreshHash: to,
          previousHash: from ?? null,
          ...{ rotatedAt: now, seenAt: now, expiresAt },
          ...clientOf(client),
        },
        select: { id: true },
      });
      return changed.length > 0;
    },
    async list(user) {
      const found = await rows.findMany({
        where: { [ownerKey]: user, expiresAt: { gt: new Date() } },
        orderBy: { seenAt: "desc" },
        select: shown,
        take: maxListed,
      });
      return found as unknown as readonly ShownSession[];
    },
    end: async (id, user) =>
      (await rows.deleteMany({ where: { id, ...(user === undefined ? {} : { [ownerKey]: user }) } })) > 0,
    async endAll(user, except) {
      await rows.deleteMany({
        where: { [ownerKey]: user, ...(except === undefined ? {} : { id: { not: except } }) },
      });
    },
    async endOf(condition) {
      await rows.deleteMany({ where: { [owner.name]: condition } });
    },
    deleteExpired: (signal) => deleteExpired({ database, model, field: "expiresAt", before: new Date(), signal }),
  };
}
