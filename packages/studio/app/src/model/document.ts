import { useQuery } from "@tanstack/react-query";
import { pageData } from "../api/page-data.js";
import { callRoute } from "../api/shop.js";
import type { FieldInfo, ModelInfo } from "./model-info.js";

/** The supported part of a JSON schema. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly maximum?: number;
  readonly minimum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
}

interface Operation {
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string; readonly schema?: Schema }[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

/** The supported part of the OpenAPI document. */
export interface ApiDocument {
  readonly info?: { readonly title?: string; readonly version?: string };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * The document of the service, loaded with the first form or filter. null if the visitor may not read it; then the
 * fields of discovery are used.
 */
export const useApiDocument = (isWanted = true) => useQuery({ ...documentQuery, enabled: isWanted });

/** The query of the document. */
export const documentQuery = {
  queryKey: ["document"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async (): Promise<ApiDocument | null> => {
    if (pageData.document === null) return null;
    try {
      return (await callRoute(`GET ${pageData.document}`)) as ApiDocument;
    } catch {
      return null;
    }
  },
};

/** Whether the list of a model returns all rows as CSV, by the document. */
export const exportsFiles = (document: ApiDocument | null | undefined, { path }: ModelInfo): boolean =>
  document?.paths?.[path]?.get?.responses?.["200"]?.content?.["text/csv"] !== undefined;

/** Whether the service creates the rows of a CSV file, and has dry runs, by the document. */
export const importsFiles = (document: ApiDocument | null | undefined, { path }: ModelInfo): boolean =>
  document?.paths?.[`${path}/many`]?.post?.requestBody?.content?.["text/csv"] !== undefined;

function at<Found>(document: ApiDocument, ref: string): Found | undefined {
  const [, kind = "", name = ""] = /^#\/components\/([^/]+)\/(.+)$/.exec(ref) ?? [];
  return document.components?.[kind]?.[name] as Found | undefined;
}

/** The target of a reference. */
const resolve = (document: ApiDocument, schema: Schema | undefined): Schema =>
  schema?.$ref === undefined ? (schema ?? {}) : { ...resolve(document, at<Schema>(document, schema.$ref)), ...schema };

/** A field of a body. */
export interface BodyField {
  readonly name: string;
  readonly schema: Schema;
  readonly isNullable: boolean;
  readonly isRequired: boolean;
}

/** The fields of a body: every property of a schema, through references and `allOf`. */
export function bodyFields(document: ApiDocument, schema: Schema | undefined): readonly BodyField[] {
  const properties = new Map<string, Schema>();
  const required = new Set<string>();
  const visit = (part: Schema | undefined): void => {
    const full = resolve(document, part);
    for (const [name, each] of Object.entries(full.properties ?? {})) {
      if (!properties.has(name) || Object.keys(each).length > 0) properties.set(name, resolve(document, each));
    }
    for (const name of full.required ?? []) required.add(name);
    for (const each of full.allOf ?? []) visit(each);
    // A foreign key or its relation; forms use the key.
    const [first] = full.anyOf ?? [];
    for (const name of first?.required ?? []) if (first?.properties !== undefined) required.add(name);
  };
  visit(schema);
  return [...properties].map(([name, each]) => {
    const isNull = (one: Schema): boolean =>
      one.type === "null" || (Array.isArray(one.type) && one.type.includes("null"));
    const choices = (each.anyOf ?? []).map((one) => resolve(document, one));
    const main = choices.find((one) => one.type === "string") ?? choices.find((one) => !isNull(one)) ?? {};
    const isNullable = isNull(each) || choices.some(isNull);
    return { name, schema: { ...main, ...each }, isNullable, isRequired: required.has(name) };
  });
}

const operationOf = (document: ApiDocument, model: ModelInfo, kind: "create" | "update"): Operation | undefined =>
  kind === "create" ? document.paths?.[model.path]?.post : document.paths?.[`${model.path}/{id}`]?.patch;

const bodyOf = (operation: Operation | undefined): Schema | undefined =>
  operation?.requestBody?.content?.["application/json"]?.schema;

/** The body schema for creating or updating a row, by the document; `undefined` if it has none. */
export function writtenFields(
  document: ApiDocument | null | undefined,
  model: ModelInfo,
  kind: "create" | "update",
): readonly BodyField[] | undefined {
  if (!document) return undefined;
  const schema = bodyOf(operationOf(document, model, kind));
  return schema === undefined ? undefined : bodyFields(document, schema);
}

/** A file of a form. */
export interface FileField {
  readonly name: string;
  readonly isMany: boolean;
  readonly description: string | undefined;
}

/** The files of a body that is sent as a form, by the document. */
export function fileFields(
  document: ApiDocument | null | undefined,
  model: ModelInfo,
  kind: "create" | "update",
): readonly FileField[] {
  if (!document) return [];
  const schema = operationOf(document, model, kind)?.requestBody?.content?.["multipart/form-data"]?.schema;
  return Object.entries(resolve(document, schema).properties ?? {}).flatMap(([name, property]) => {
    const file = property.type === "array" ? property.items : property;
    return file?.format === "binary" ? [{ name, isMany: file !== property, description: file.description }] : [];
  });
}

/** The operators of a field's filter, by the document. */
export function operatorsIn(
  document: ApiDocument | null | undefined,
  model: ModelInfo,
  field: FieldInfo,
): readonly string[] | undefined {
  if (!document) return undefined;
  const parameters = document.paths?.[model.path]?.get?.parameters ?? [];
  for (const given of parameters) {
    const parameter = given.$ref === undefined ? given : at<typeof given>(document, given.$ref);
    if (parameter?.name !== field.name) continue;
    return Object.keys(resolve(document, parameter.schema).properties ?? {});
  }
  return undefined;
}
