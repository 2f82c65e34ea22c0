import type { TextSearch } from "./text-search.js";

/** One row as Prisma returns it, including relations. */
export type Row = Readonly<Record<string, unknown>>;

/** An object of Prisma's arguments. */
export type Clause = Readonly<Record<string, unknown>>;

/** The returned fields and relations of a row. */
export interface Selection {
  readonly select?: Clause;
  readonly include?: Clause;
  readonly omit?: Clause;
}

/** Prisma's own arguments of a read. */
export interface ReadArgs extends Selection {
  readonly where?: Clause;
  readonly orderBy?: Clause | readonly Clause[];
  readonly take?: number;
  readonly skip?: number;
  readonly cursor?: Clause;
  readonly distinct?: readonly string[];
  /** Only rows that this finds; an extension of Prisma's arguments. */
  readonly search?: TextSearch;
}

/** Arguments of a read by a unique key. */
export interface UniqueArgs extends Selection {
  readonly where: Clause;
}

/** Arguments of a count. */
export type CountArgs = Pick<ReadArgs, "where" | "orderBy" | "take" | "skip" | "cursor" | "search">;

/** Arguments of `create`. */
export interface CreateArgs extends Selection {
  readonly data: Clause;
}

/** Arguments of `createMany`. */
export interface CreateManyArgs extends Selection {
  readonly data: readonly Clause[];
  readonly skipDuplicates?: boolean;
}

/** Arguments of `update`. */
export interface UpdateArgs extends Selection {
  readonly where: Clause;
  readonly data: Clause;
}

/** `everything: true` allows a condition that every row matches. */
export interface UpdateManyArgs extends UpdateArgs {
  readonly everything?: boolean;
}

/** The changes of one row. */
export interface RowChange {
  /** Identifies the row by the key of its model. */
  readonly where: Clause;
  /** Values of stored fields, without Prisma's operations such as `increment`. */
  readonly data: Clause;
}

/** Arguments of `updateEach`. */
export interface UpdateEachArgs {
  /** Each identifies a different row. */
  readonly changes: readonly RowChange[];
  readonly select: Clause;
}

/** Arguments of `delete`. */
export type DeleteArgs = UniqueArgs;

/** `everything: true` allows a condition that every row matches. */
export interface DeleteManyArgs {
  readonly where: Clause;
  readonly everything?: boolean;
}
