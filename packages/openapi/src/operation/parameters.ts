import type { DeclaredRoute, DocumentObject, RouteDocumentation } from "@servicekit/router";
import type { SchemaCollector } from "../json-schema/schema-collector.js";
import { resolveReference, toJsonSchema, withSchemas } from "../json-schema/to-json-schema.js";

/** The parameters of one operation: of its path, of its schemas, and of its declaration (contract C47). */
export function toParameters(
  route: DeclaredRoute,
  names: readonly string[],
  known: RouteDocumentation,
  operationId: string,
  collector: SchemaCollector,
): readonly DocumentObject[] {
  const { validation, experimental } = route.config;
  const own = experimental?.openapi === false ? [] : (experimental?.openapi?.parameters ?? []);
  const found = new Map<string, DocumentObject>();
  const add = (parameter: DocumentObject): void => {
    const isShown = parameter.in !== "path" || names.includes(String(parameter.name));
    if (isShown)
      found.set(`${parameter.in} ${parameter.name}`, {
        ...found.get(`${parameter.in} ${parameter.name}`),
        ...parameter,
      });
  };
  /** Every declared parameter has a schema: its own, that of `validation`, or a string. */
  const addOwn = (parameter: DocumentObject): void => {
    const known = found.get(`${parameter.in} ${parameter.name}`);
    if (parameter.content === undefined) add({ schema: known?.schema ?? { type: "string" }, ...parameter });
    else {
      found.delete(`${parameter.in} ${parameter.name}`);
      add({ ...withoutSchema(known), ...parameter });
    }
  };
  for (const name of names) add({ name, in: "path", required: true, schema: { type: "string" } });
  for (const parameter of known.parameters ?? []) add(parameter);
  for (const [place, part] of [
    ["path", "params"],
    ["query", "query"],
  ] as const) {
    const schema = validation?.[part];
    if (schema === undefined || schema === false) continue;
    const resolved = resolveReference(
      toJsonSchema(schema, "input", `${operationId}${place === "path" ? "Params" : "Query"}`, collector),
      collector,
    );
    for (const parameter of fromObject(resolved, place)) add(parameter);
  }
  for (const parameter of own) {
    const shown = withSchemas(parameter, "input", `${operationId}${parameter.name}`, collector) as DocumentObject;
    if (shown.$ref === undefined) addOwn(shown);
    else found.set(String(shown.$ref), shown);
  }
  return [...found.values()];
}

function withoutSchema(parameter: DocumentObject = {}): DocumentObject {
  const { schema: _schema, style: _style, explode: _explode, ...rest } = parameter;
  return rest;
}

/** One parameter for each property of an object schema. */
function fromObject(schema: DocumentObject, place: "path" | "query"): readonly DocumentObject[] {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, DocumentObject>>;
  const required = (schema.required ?? []) as readonly string[];
  return Object.entries(properties).map(([name, property]) => {
    const { description } = property;
    return {
      name,
      in: place,
      required: place === "path" || required.includes(name),
      ...(typeof description === "string" ? { description } : {}),
      schema: property,
      ...serialised(property, place),
    };
  });
}

/** Lists are separated by commas, objects are `name[key]=value`, as the query parser reads them (contract C19). */
function serialised({ type }: DocumentObject, place: "path" | "query"): DocumentObject {
  if (place === "path") return {};
  if (type === "array") return { style: "form", explode: false };
  return type === "object" ? { style: "deepObject", explode: true } : {};
}
