import type { Row } from "@servicekit/prisma";

/** The id of a user, as in the database. */
export type OwnerId = string | number | bigint;

/** What credentials need of a user. */
export interface Owner {
  readonly id: OwnerId;
  readonly passwordHash: string | null;
  /** False for a deactivated or deleted user. */
  readonly isActive: boolean;
  readonly passwordChangedAt?: Date | null;
}

/** How a user is read through a relation. */
export interface OwnerReader<User extends Owner> {
  readonly select: Readonly<Record<string, unknown>>;
  toRecord(row: Row): User;
}

/** Users, some of whom are cached. */
export interface RememberedOwners<User extends Owner> {
  findById(id: string): Promise<User | undefined>;
  /** Call it before a user is read elsewhere. The returned function caches the user, unless one has changed since. */
  reading(): (user: User) => void;
}

/** The address and the user agent of a client. */
export interface Client {
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}
