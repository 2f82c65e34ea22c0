import type { Schema } from "../validation/schema.js";

/** A JSON Schema (draft 2020-12) or another plain object of an OpenAPI 3.1 document. */
export type DocumentObject = Readonly<Record<string, unknown>>;

/** A possible error of a route, by its code (contract C3). */
export interface DocumentedError {
  readonly status: number;
  /** Such as `UniqueConstraint`. */
  readonly code: string;
  /** When it is returned, in one sentence. */
  readonly description: string;
}

/**
 * The documentation of a generated route (contract C47): its `validation` and `experimental.openapi` take precedence.
 */
export interface RouteDocumentation {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  /** OpenAPI parameter objects of the query, the path and the headers. */
  readonly parameters?: readonly DocumentObject[];
  /** An OpenAPI request body object; may reference {@link RouteDocumentation.components}. */
  readonly requestBody?: DocumentObject;
  /**
   * The body schema of a user's module, or of each item of a list: it replaces {@link RouteDocumentation.requestBody}
   * if the documentation uses module schemas (contract C47, `mode`).
   */
  readonly moduleBody?: { readonly schema: Schema; readonly isList: boolean };
  /** OpenAPI response objects of successful responses, by status code. */
  readonly responses?: Readonly<Record<string, DocumentObject>>;
  /** The errors of this route itself; those of global steps are added later. */
  readonly errors?: readonly DocumentedError[];
  /** Named schemas; reference one as `{ $ref: "#/components/schemas/<name>" }`. The same name means the same schema. */
  readonly components?: Readonly<Record<string, DocumentObject>>;
}
