import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

interface Media {
  readonly schema?: object;
}
interface DocumentedHeader {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly schema?: { readonly type?: string };
}
interface Documented {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, DocumentedHeader>>;
  readonly content?: Readonly<Record<string, Media>>;
}
interface Operation {
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Documented>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Documented>>;
    readonly headers?: Readonly<Record<string, DocumentedHeader>>;
    readonly schemas?: Readonly<Record<string, { readonly required?: readonly string[] }>>;
  };
}

/** The received response. */
export interface Received {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** The sent body, if it was JSON. */
  readonly sent?: unknown;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Validates a response against the document. @returns the deviations, as text */
export type ContractCheck = (received: Received) => readonly string[];

/** Responses of HTTP itself, which belong to no operation: an unknown path, and an unsupported method. */
const outside = new Set([404, 405, 414, 431]);

/**
 * Creates a validator of every response against the API's own document: status, media type, headers and body. An
 * accepted body must be valid against the document.
 */
export function makeContractCheck(document: Document): ContractCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema(document, "document");
  ajv.addSchema(withParts(document), "parts");
  const validators = new Map<string, ValidateFunction>();
  const templates = Object.keys(document.paths)
    .map((template) => ({ template, pattern: patternOf(template) }))
    .sort((a, b) => count(a.template) - count(b.template));

  const misfits = (place: readonly string[], value: unknown, source = "document"): string | undefined => {
    const pointer = `${source}#/${place.map(escaped).join("/")}`;
    const validate = validators.get(pointer) ?? ajv.compile({ $ref: pointer });
    validators.set(pointer, validate);
    if (validate(value)) return undefined;
    return (validate.errors ?? [])
      .slice(0, 5)
      .map((error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`)
      .join("; ");
  };

  return ({ method, path, sent, status, headers, text }) => {
    const [pathname = "", query = ""] = path.split("?", 2);
    // OpenAPI: a path without parameters is matched before others, whatever their methods.
    const matched = templates.find(({ pattern }) => pattern.test(pathname));
    const found = document.paths[matched?.template ?? ""]?.[methodOf(method)] === undefined ? undefined : matched;
    const name = `${method} ${pathname} → ${status}`;
    if (method === "OPTIONS") return [];
    if (found === undefined) {
      return outside.has(status) ? [] : [`${name}: the document does not contain this route.`];
    }
    const operation = document.paths[found.template]?.[methodOf(method)] as Operation;
    const key = [String(status), `${String(status)[0]}XX`, ...(status < 400 ? [] : ["default"])].find(
      (each) => operation.responses[each] !== undefined,
    );
    const written = key === undefined ? undefined : operation.responses[key];
    if (key === undefined || written === undefined)
      return [`${name}: ${found.template} does not document this status.`];
    const reference = written.$ref?.slice("#/components/responses/".length);
    const response = reference === undefined ? written : document.components.responses[reference];
    const place =
      reference === undefined
        ? ["paths", found.template, methodOf(method), "responses", key]
        : ["components", "responses", reference];
    for (const [header, given] of Object.entries(response?.headers ?? {})) {
      const shared = document.components.headers?.[given.$ref?.split("/").at(-1) ?? ""];
      const { required, schema } = shared ?? given;
      const value = headers.get(header);
      if (value === null && required === true) return [`${name}: the header ${header} is missing.`];
      if (value !== null && schema?.type === "integer" && !/^\d+$/.test(value)) {
        return [`${name}: the header ${header} is not an integer: ${value}`];
      }
    }
    const body = operation.requestBody?.content["application/json"];
    if (status < 300 && sent !== undefined && body?.schema !== undefined) {
      const place = ["paths", found.template, methodOf(method), "requestBody", "content", "application/json", "schema"];
      const issues = misfits(place, sent);
      if (issues !== undefined) return [`${name}: accepts a body that it does not document: ${issues}`];
    }
    if (method === "HEAD" || status === 304) return [];
    const [type = ""] = (headers.get("content-type") ?? "").split(";", 1);
    const content = response?.content ?? {};
    // A document cannot express optional content, so the description does (contract C57).
    const mayBeEmpty = status === 201 && response?.description?.includes("Without a body") === true;
    if (text === "" && (Object.keys(content).length === 0 || mayBeEmpty)) return [];
    const media = content[type];
    if (media === undefined) {
      if (key.endsWith("XX")) return [];
      return [`${name}: ${found.template} documents ${Object.keys(content).join(", ") || "no body"}, not ${type}.`];
    }
    if (media.schema === undefined || !type.endsWith("json")) return [];
    const source = new URLSearchParams(query).has("fields") ? "parts" : "document";
    const issues = misfits([...place, "content", type, "schema"], JSON.parse(text), source);
    if (issues === undefined) return [];
    return [`${name}: the body is not as ${found.template} documents it: ${issues} in ${text.slice(0, 300)}`];
  };
}

/** The document for requests that select fields: rows have no others, and none is required. */
function withParts(document: Document): Document {
  const { schemas = {} } = document.components;
  const relaxed = Object.entries(schemas).map(([name, schema]) => [
    name,
    Object.hasOwn(schemas, `${name}Response`) ? { ...schema, required: [] } : schema,
  ]);
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(relaxed) } };
}

const methodOf = (method: string): string => (method === "HEAD" ? "get" : method.toLowerCase());
const count = (template: string): number => template.split("{").length;
const patternOf = (template: string): RegExp =>
  new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]+\}/g, "[^/]+")}/?$`, "i");
const escaped = (part: string): string => encodeURIComponent(part.replace(/~/g, "~0").replace(/\//g, "~1"));
