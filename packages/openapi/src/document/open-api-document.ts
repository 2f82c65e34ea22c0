import type { DocumentObject } from "@servicekit/router";

/** An OpenAPI 3.1 document as plain data. */
export type OpenApiDocument = DocumentObject & {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, DocumentObject>>;
};
