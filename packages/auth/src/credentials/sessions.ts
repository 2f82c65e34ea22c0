import { randomUUID } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Client, Owner, OwnerId, RememberedOwners } from "./owner.js";
import { makeRefreshTokens, type RefreshToken, type SentRefreshToken } from "./refresh-token.js";
import type { SessionRows, ShownSession, StoredSession } from "./session-rows.js";

/** What a client has of its session. */
export interface HeldSession {
  readonly id: string;
  /** `undefined` where the client has been given it already, a moment ago. */
  readonly refreshToken: string | undefined;
  readonly expiresAt: Date;
}

/** Whose session was refreshed, and what the client has of it now. */
export interface Refreshed<User extends Owner> {
  readonly user: User;
  readonly held: HeldSession;
}

/** Who is signed in where (contract C72). What has ended has ended for every instance: it is asked of the database. */
export interface Sessions<User extends Owner> {
  /** Begins a session; its id is a new one, whatever the client had before. */
  open(user: User, client: Client): Promise<HeldSession>;
  /** Whose session it is; `undefined` when it has ended. One of a user who is not active ends by its use, for good. */
  userOf(id: string): Promise<User | undefined>;
  /**
   * Takes a refresh token, and gives the next one. One that was taken before ends its session: two have it, and one of them
   * has stolen it.
   *
   * @returns `undefined` for a token that is not accepted
   */
  refresh(token: string, client: Client): Promise<Refreshed<User> | undefined>;
  /** Goes on in a session with another refresh token, and ends all others of the user: the password is another one. */
  renew(id: string, user: User, client: Client): Promise<HeldSession | undefined>;
  list(user: User): Promise<readonly ShownSession[]>;
  /** @returns whether the user had such a session */
  end(id: string, user: OwnerId): Promise<boolean>;
  endAll(user: OwnerId, except?: string): Promise<void>;
  /** Ends all of the users that a condition of Prisma meets, such as those who were made inactive. */
  endOf(users: Readonly<Record<string, unknown>>): Promise<void>;
}

/** What is set of sessions. */
export interface SessionSettings {
  /** Sign refresh tokens; the first signs, all verify. */
  readonly secrets: readonly string[];
  /** How long a session lasts after its last refresh, in seconds. */
  readonly lifetime: number;
  /** How long a session is remembered, in milliseconds; 0 reads it each time. */
  readonly cacheMs: number;
}

/** What sessions are made from. */
export interface SessionsOptions<User extends Owner> {
  readonly settings: SessionSettings;
  readonly rows: SessionRows<User>;
  readonly users: RememberedOwners<User>;
  /** Is told that somebody else has a user's refresh token. */
  readonly onTheft: (theft: { readonly sessionId: string; readonly userId: string; readonly address?: string }) => void;
  /** Is told what went wrong beside any request. */
  readonly onError: (error: unknown, message: string) => void;
}

/** How long the token before is still taken, in milliseconds: tabs refresh at once, and answers get lost. */
export const graceMs = 10_000;

/** How often what has expired is swept, in milliseconds. */
const sweepEveryMs = 3_600_000;

/** As many sessions as are remembered at a time. */
const mostRemembered = 10_000;

/** Makes the sessions of one service. */
export function makeSessions<User extends Owner>({
  settings,
  rows,
  users,
  onTheft,
  onError,
}: SessionsOptions<User>): Sessions<User> {
  const tokens = makeRefreshTokens(settings.secrets);
  const known =
    settings.cacheMs === 0
      ? undefined
      : new LRUCache<string, { readonly user: string; readonly ends: number }>({
          max: mostRemembered,
          ttl: settings.cacheMs,
        });
  let sweptAt = Date.now();

  const sweep = (): void => {
    if (Date.now() - sweptAt < sweepEveryMs) return;
    sweptAt = Date.now();
    rows.sweep().catch((error: unknown) => onError(error, "sessions that have expired cannot be swept"));
  };
  /** A session that was used while its user was suspended is not to be good again afterwards. */
  const ifActive = async (id: string, user: User | undefined): Promise<User | undefined> => {
    if (user === undefined || user.isActive) return user;
    known?.delete(id);
    await rows.end(id);
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
      return { user, held: { id: token.sessionId, refreshToken: next.text, expiresAt } };
    }
    if (stored.previousHash !== token.hash || Date.now() - stored.rotatedAt.getTime() > graceMs) return "stolen";
    const refreshToken = next.hash === stored.refreshHash ? next.text : undefined;
    return { user, held: { id: token.sessionId, refreshToken, expiresAt: stored.expiresAt } };
  };

  return {
    async open(user, client) {
      sweep();
      const token = tokens.make(randomUUID(), user);
      const expiresAt = newEnd();
      await rows.create({ id: token.sessionId, user: user.id, hash: token.hash, expiresAt }, client);
      return { id: token.sessionId, refreshToken: token.text, expiresAt };
    },
    async userOf(id) {
      const remembered = known?.get(id);
      if (remembered !== undefined) {
        return remembered.ends <= Date.now() ? undefined : ifActive(id, await users.findById(remembered.user));
      }
      const found = await rows.find(id);
      if (found === undefined || found.expiresAt.getTime() <= Date.now()) return undefined;
      if ((await ifActive(id, found.record)) === undefined) return undefined;
      known?.set(id, { user: String(found.record.id), ends: found.expiresAt.getTime() });
      users.remember(found.record);
      return found.record;
    },
    async refresh(text, client) {
      const token = tokens.read(text);
      if (token === undefined) return undefined;
      // A second look for who was overtaken by another request with the same token.
      for (let look = 0; look < 2; look++) {
        const stored = await rows.findStored(token.sessionId);
        if (stored === undefined || stored.expiresAt.getTime() <= Date.now()) break;
        const { record } = stored;
        if ((await ifActive(token.sessionId, record)) === undefined || !token.fits(record)) break;
        const given = await refreshed(token, stored, client);
        if (given === undefined) continue;
        if (given !== "stolen") return given;
        known?.delete(token.sessionId);
        if (await rows.end(token.sessionId)) {
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
      known?.clear();
      await rows.endAll(user.id, id);
      const change = { from: undefined, to: token.hash, expiresAt };
      // Whoever was ended meanwhile has no session to go on in.
      if (!(await rows.rotate(id, change, client))) return undefined;
      return { id, refreshToken: token.text, expiresAt };
    },
    async list(user) {
      const found = await rows.list(user.id);
      const { passwordChangedAt } = user;
      // What is older than the password is over, whoever has changed it and however.
      return passwordChangedAt == null ? found : found.filter(({ rotatedAt }) => rotatedAt >= passwordChangedAt);
    },
    async end(id, user) {
      known?.delete(id);
      return rows.end(id, user);
    },
    async endOf(condition) {
      known?.clear();
      await rows.endOf(condition);
    },
    async endAll(user, except) {
      known?.clear();
      await rows.endAll(user, except);
    },
  };
}
