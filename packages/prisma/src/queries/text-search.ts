import type { SearchDefinition, StoredField } from "../models/model.js";

/** The weights of PostgreSQL's text vectors: a match in a field of weight A ranks highest. */
export type Weight = "A" | "B" | "C" | "D";

/** A searched field. */
export interface SearchedField {
  readonly field: StoredField;
  readonly weight: Weight;
}

/** The searched fields of a model; for one caller those that the caller may read. */
export interface SearchFields extends Pick<SearchDefinition, "mode" | "language"> {
  readonly fields: readonly SearchedField[];
  /** The column with the text vector of exactly these fields; without it the vector is computed from the fields. */
  readonly vector?: string | undefined;
}

/** A search of the rows of one model (contract C103). */
export interface TextSearch extends SearchFields {
  /** The text of the client, in any form: PostgreSQL reads quotes, `or` and `-`, and rejects none. */
  readonly text: string;
  /** Whether the rank precedes the order of the query. */
  readonly isRanked: boolean;
}

const weights: readonly Weight[] = ["A", "B", "C"];

/** The weight of a field by its place: the first ones A, B and C, all others D. */
export const weightAt = (index: number): Weight => weights[index] ?? "D";
