import type { Row } from "@servicekit/prisma";

/** The id of a user, as the database has it. */
export type OwnerId = string | number | bigint;

/** What credentials need to know of a user. */
export interface Owner {
  readonly id: OwnerId;
  readonly passwordHash: string | null;
  /** False for a user who was made inactive or was deleted. */
  readonly isActive: boolean;
  readonly passwordChangedAt?: Date | null;
}

/** How a user is read by way of a relation. */
export interface OwnerReader<User extends Owner> {
  readonly select: Readonly<Record<string, unknown>>;
  toRecord(row: Row): User;
}

/** Users, some of whom are remembered. */
export interface RememberedOwners<User extends Owner> {
  findById(id: string): Promise<User | undefined>;
  /** Remembers a user who was read in another way. */
  remember(user: User): void;
}

/** From where somebody comes. */
export interface Client {
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}
