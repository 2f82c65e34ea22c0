import { randomUUID } from "node:crypto";
import type { Client, Owner, OwnerId, RememberedOwners } from "./owner.js";
import { makeReadCache } from "./read-cache.js";
import { makeRefreshTokens, type RefreshToken, type SentRefreshToken } from "./refresh-token.js";
import type { SessionRows, ShownSession, StoredSession } from "./session-rows.js";

/** The client's part of its session. */
export interface ClientSession {
  readonly id: string;
  /** `undefined` if the client has already received it, a moment before. */
  readonly refreshToken: string | undefined;
  readonly expiresAt: Date;
}

/** The user of a refreshed session, and the client's new part. */
export interface Refreshed<User extends Owner> {
  readonly user: User;
  readonly session: ClientSession;
}

/**
 * The sessions of users (contract C72). An ended session is ended for every instance, because it is looked up in the
 * database.
 */
export interface Sessions<User extends Owner> {
  /** Starts a session with a new id, whatever the client had before. */
  open(user: User, client: Client): Promise<ClientSession>;
  /** The user of a session; `undefined` if it has ended. The use of an inactive user's session ends it permanently. */
  userOf(id: string): Promise<User | undefined>;
  /**
   * Exchanges a refresh token for the next one. A token that was used before ends its session, because it has been
   * stolen.
   *
   * @returns `undefined` for a rejected token
   */
  refresh(token: string, client: Client): Promise<Refreshed<User> | undefined>;
  /** Continues a session with a new refresh token, and ends all others of the user, after a password change. */
  renew(id: string, user: User, client: Client): Promise<ClientSession | undefined>;
  list(user: User): Promise<readonly ShownSession[]>;
  /** @returns whether the user had such a session */
  end(id: string, user: OwnerId): Promise<boolean>;
  endAll(user: OwnerId, except?: string): Promise<void>;
  /** Ends all sessions of the users that match a Prisma condition, such as deactivated ones. */
  endOf(users: Readonly<Record<string, unknown>>): Promise<void>;
  /** Deletes expired sessions in batches. @returns their number; 0 if another process is deleting */
  deleteExpired(signal?: AbortSignal): Promise<number>;
}

/** The settings of sessions. */
export interface SessionSettings {
  /** Sign refresh tokens; the first signs, all verify. */
  readonly secrets: readonly string[];
  /** How long a session lasts after its last refresh, in seconds. */
  readonly lifetime: number;
  /** How long a session is cached, in milliseconds; 0 reads it each time. */
  readonly cacheMs: number;
}

/** The options of sessions. */
export interface SessionsOptions<User extends Owner> {
  readonly settings: SessionSettings;
  readonly rows: SessionRows<User>;
  readonly users: RememberedOwners<User>;
  /** Called if a user's refresh token was stolen. */
  readonly onTheft: (theft: { readonly sessionId: string; readonly userId: string; readonly address?: string }) => void;
}

/** How long the previous token is accepted, in milliseconds: tabs refresh concurrently, and responses get lost. */
export const graceMs = 10_000;

/** Creates the sessions of one service. */
export function makeSessions<User extends Owner>({
  settings,
  rows,
  users,
  onTheft,
}: SessionsOptions<User>): Sessions<User> {
  const tokens = makeRefreshTokens(settings.secrets);
  const known = makeReadCache<{ readonly user: string; readonly ends: number }>(settings.cacheMs);
  /** A session that was used while its user was suspended must not become valid again. */
  const ifActive = async (id: string, user: User | undefined): Promise<User | undefined> => {
    if (user === undefined || user.isActive) return user;
    await known.change(() => rows.end(id), id);
    return undefined;
  };
  const newEnd = (): Date => new Date(Date.now() + settings.lifetime * 1000);

  const refreshed = async (token: SentRefreshToken, stored: StoredSession<User>, client: Client) => {
    const { record: user } = stored;
    const next: RefreshToken = tokens.next(token, user);
    if (stored.refreshHash === token.hash) {
      const expiresAt = newEnd();
      const change = { from: token.hash, to: next.hash, expiresAt };
      if (!(await rows.rotate(token.sessionId, change, client))) return undefined;
      return { user, session: { id: token.sessionId, refreshToken: next.text, expiresAt } };
    }
    if (stored.previousHash !== token.hash || Date.now() - stored.rotatedAt.getTime() > graceMs) return "stolen";
    const refreshToken = next.hash === stored.refreshHash ? next.text : undefined;
    return { user, session: { id: token.sessionId, refreshToken, expiresAt: stored.expiresAt } };
  };

  return {
    async open(user, client) {
      const token = tokens.make(randomUUID(), user);
      const expiresAt = newEnd();
      await rows.create({ id: token.sessionId, user: user.id, hash: token.hash, expiresAt }, client);
      return { id: token.sessionId, refreshToken: token.text, expiresAt };
    },
    async userOf(id) {
      const remembered = known.get(id);
      if (remembered !== undefined) {
        return remembered.ends <= Date.now() ? undefined : ifActive(id, await users.findById(remembered.user));
      }
      const [store, storeUser] = [known.reading(), users.reading()];
      const found = await rows.find(id);
      if (found === undefined || found.expiresAt.getTime() <= Date.now()) return undefined;
      if ((await ifActive(id, found.record)) === undefined) return undefined;
      store(id, { user: String(found.record.id), ends: found.expiresAt.getTime() });
      storeUser(found.record);
      return found.record;
    },
    async refresh(text, client) {
      const token = tokens.read(text);
      if (token === undefined) return undefined;
      // A second check, for a request that lost a race with another one with the same token.
      for (let look = 0; look < 2; look++) {
        const stored = await rows.findStored(token.sessionId);
        if (stored === undefined || stored.expiresAt.getTime() <= Date.now()) break;
        const { record } = stored;
        if ((await ifActive(token.sessionId, record)) === undefined || !token.fits(record)) break;
        const given = await refreshed(token, stored, client);
        if (given === undefined) continue;
        if (given !== "stolen") return given;
        if (await known.change(() => rows.end(token.sessionId), token.sessionId)) {
          const { address } = client;
          const theft = { sessionId: token.sessionId, userId: String(record.id) };
          onTheft(address === undefined ? theft : { ...theft, address });
        }
        break;
      }
      return undefined;
    },
    async renew(id, user, client) {
      const token = tokens.make(id, user);
      const expiresAt = newEnd();
      await known.change(() => rows.endAll(user.id, id));
      const change = { from: undefined, to: token.hash, expiresAt };
      // A session that was ended meanwhile cannot be continued.
      if (!(await rows.rotate(id, change, client))) return undefined;
      return { id, refreshToken: token.text, expiresAt };
    },
    async list(user) {
      const found = await rows.list(user.id);
      const { passwordChangedAt } = user;
      // A session older than the password has ended, however the password was changed.
      return passwordChangedAt == null ? found : found.filter(({ rotatedAt }) => rotatedAt >= passwordChangedAt);
    },
    async end(id, user) {
      return known.change(() => rows.end(id, user), id);
    },
    async endOf(condition) {
      await known.change(() => rows.endOf(condition));
    },
    deleteExpired: (signal) => rows.deleteExpired(signal),
    async endAll(user, except) {
      await known.change(() => rows.endAll(user, except));
    },
  };
}
