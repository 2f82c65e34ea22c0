import type { Schema } from "../validation/schema.js";

/** A JSON Schema (draft 2020-12) or another plain object of an OpenAPI 3.1 document. */
export type DocumentObject = Readonly<Record<string, unknown>>;

/** An error that a route can really answer, by the code of its problem body (contract C3). */
export interface DocumentedError {
  readonly status: number;
  /** Such as `UniqueConstraint`. */
  readonly code: string;
  /** When it is answered, in one sentence. */
  readonly description: string;
}

/**
 * What a package knows of a route that it generates, for the API documentation (contract C47): its `validation` and
 * `experimental.openapi` win where they say the same.
 */
export interface RouteDocumentation {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  /** OpenAPI parameter objects of the query, the path and the headers. */
  readonly parameters?: readonly DocumentObject[];
  /** An OpenAPI request body object; {@link RouteDocumentation.components} may be referred to. */
  readonly requestBody?: DocumentObject;
  /**
   * The schema that a user's module gives for the body, or for each item of a list: it is shown in place of
   * {@link RouteDocumentation.requestBody} where the documentation is made from modules (contract C47, `mode`).
   */
  readonly moduleBody?: { readonly schema: Schema; readonly isList: boolean };
  /** OpenAPI response objects of the good answers, by status code. */
  readonly responses?: Readonly<Record<string, DocumentObject>>;
  /** The errors that come from this route itself; those of global steps are added by the reader. */
  readonly errors?: readonly DocumentedError[];
  /** Named schemas; refer to one as `{ $ref: "#/components/schemas/<name>" }`. The same name means the same schema. */
  readonly components?: Readonly<Record<string, DocumentObject>>;
}
