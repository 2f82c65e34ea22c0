/** A row of values by field name. */
export type UserRow = Readonly<Record<string, unknown>>;

/** The id of a user, as the database has it. */
export type UserId = string | number | bigint;

/** A right that is stored in the database (dynamic mode). */
export interface Permission {
  readonly resource: string;
  readonly action: string;
}

/** What signing in needs to know of a user. */
export interface UserRecord {
  readonly id: UserId;
  /** The bcrypt hash; `null` for a user who has no password. */
  readonly passwordHash: string | null;
  /** False for a user who was made inactive or was deleted. */
  readonly isActive: boolean;
  /** Whether the user passes every access check. */
  readonly isSuperUser: boolean;
  /** The names of the user's roles. */
  readonly roles: readonly string[];
  /** In dynamic mode; empty in static mode. */
  readonly permissions: readonly Permission[];
  readonly passwordChangedAt?: Date | null;
  /** Where mails go; absent when the model has none. */
  readonly email?: string | null;
  /** Absent when the model has none. */
  readonly emailVerified?: boolean;
  /** The user without hidden fields. */
  readonly user: UserRow;
}

/** Where users are kept. The default is a Prisma model; any other store fits that keeps these promises. */
export interface UserStore {
  /** Whether users have an email address, and whether it is kept that the address is theirs. */
  readonly has: { readonly email: boolean; readonly emailVerified: boolean };
  /** The user whose id, as text, stands in a token, with roles and permissions in one read. */
  findById(id: string): Promise<UserRecord | undefined>;
  /**
   * The one user with exactly this login name; `undefined` when none or several have it. Names that are written come in
   * their one spelling, and are looked for in it too.
   */
  findByLogin(field: string, name: string): Promise<UserRecord | undefined>;
  /** The one user with this email address; `undefined` when none or several have it. */
  findByEmail(address: string): Promise<UserRecord | undefined>;
  /**
   * Whether a user other than `except` has a name that differs from this one in case at most: for stores with names from
   * before the one spelling.
   */
  hasName?(field: string, name: string, except?: UserId): Promise<boolean>;
  /** @throws {HttpError} 409 when another user has the same values */
  create(data: UserRow, passwordHash: string): Promise<UserRecord>;
  /**
   * Changes a user; another address is no longer one that was verified.
   *
   * @throws {HttpError} 404 when the user is gone, 409 when another user has the same values
   */
  update(user: UserRecord, changes: UserRow): Promise<UserRecord>;
  /**
   * Changes the password if the stored hash is still the one that was read.
   *
   * @returns the user as changed, or `undefined` when the hash is another one by now
   */
  setPassword(user: UserRecord, passwordHash: string): Promise<UserRecord | undefined>;
  /** Keeps when a user has signed in. */
  recordLogin(user: UserRecord): Promise<UserRecord>;
  /** Keeps that the address is the user's, if it is still the one that was read. */
  setEmailVerified(user: UserRecord): Promise<boolean>;
  /** Deletes the user, or marks the user as deleted where the model can. */
  remove(id: UserId): Promise<void>;
}
