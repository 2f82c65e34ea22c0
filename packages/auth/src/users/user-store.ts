/** A row of values by field name. */
export type UserRow = Readonly<Record<string, unknown>>;

/** The id of a user, as in the database. */
export type UserId = string | number | bigint;

/** A permission that is stored in the database (dynamic mode). */
export interface Permission {
  readonly resource: string;
  readonly action: string;
}

/** What sign-in needs of a user. */
export interface UserRecord {
  readonly id: UserId;
  /** The bcrypt hash; `null` for a user without a password. */
  readonly passwordHash: string | null;
  /** False for a deactivated or deleted user. */
  readonly isActive: boolean;
  /** Whether the user passes every access check. */
  readonly isSuperUser: boolean;
  /** The names of the user's roles. */
  readonly roles: readonly string[];
  /** In dynamic mode; empty in static mode. */
  readonly permissions: readonly Permission[];
  readonly passwordChangedAt?: Date | null;
  /** The email address; absent if the model has none. */
  readonly email?: string | null;
  /** Absent if the model has none. */
  readonly emailVerified?: boolean;
  /** The user without hidden fields. */
  readonly user: UserRow;
}

/** The store of users. The default is a Prisma model; any other store with this behavior fits. */
export interface UserStore {
  /** Whether users have an email address, and whether its verification is stored. */
  readonly has: { readonly email: boolean; readonly emailVerified: boolean };
  /** The user with the id of a token, with roles and permissions in one query. */
  findById(id: string): Promise<UserRecord | undefined>;
  /**
   * The only user with exactly this login name; `undefined` if none or several have it. Names are normalized before
   * they are written and looked up.
   */
  findByLogin(field: string, name: string): Promise<UserRecord | undefined>;
  /** The only user with this email address; `undefined` if none or several have it. */
  findByEmail(address: string): Promise<UserRecord | undefined>;
  /**
   * Whether a user other than `except` has a name that differs from this one only in case: for stores with names from
   * before the normalization.
   */
  hasName?(field: string, name: string, except?: UserId): Promise<boolean>;
  /** @throws {HttpError} 409 when another user has the same values */
  create(data: UserRow, passwordHash: string): Promise<UserRecord>;
  /**
   * Updates a user; a changed address is no longer verified.
   *
   * @throws {HttpError} 404 if the user does not exist, 409 if another user has the same values
   */
  update(user: UserRecord, changes: UserRow): Promise<UserRecord>;
  /**
   * Changes the password if the stored hash is still the given one.
   *
   * @returns the updated user, or `undefined` if the hash differs
   */
  setPassword(user: UserRecord, passwordHash: string): Promise<UserRecord | undefined>;
  /** Stores the time of a sign-in. */
  recordLogin(user: UserRecord): Promise<UserRecord>;
  /** Stores that the address is verified, if it is still the given one. */
  setEmailVerified(user: UserRecord): Promise<boolean>;
  /** Deletes the user, or marks it as deleted if the model has such a field. */
  remove(id: UserId): Promise<void>;
}
