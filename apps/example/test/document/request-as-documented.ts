import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { makeContractCheck } from "../contract-check.js";
import { type Fill, makeBodies, type Schema } from "./bodies.js";

/** A service with a document. */
export interface DocumentedApi {
  readonly url: string;
}

export interface AskOptions {
  readonly seed: number;
  /** The number of bodies of each kind per operation. */
  readonly runs: number;
  /** The tested operations; all of models by default. */
  readonly only?: RegExp;
}

export interface Asked {
  /** Rejections that the document could have predicted, and responses that violate it. */
  readonly issues: readonly string[];
  readonly requests: number;
  /** The number of successful requests. */
  readonly accepted: number;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly style?: string;
  readonly description?: string;
  readonly schema: Schema;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
}

/** Unknown to a schema: the existing rows, and the values that are taken. */
const undocumentable = new Set([
  "NotFound",
  "RelatedRecordNotFound",
  "UniqueConstraint",
  "ForeignKeyConstraint",
  "CheckConstraint",
  "RelationConstraint",
  "RecordsNotConnected",
  "PreconditionFailed",
  // A document cannot express that a parameter is required with one form of a body.
  "MissingFilter",
  // Keys that change what an object is, which no JSON schema names.
  "ForbiddenKey",
]);

/** Rejections that a portable schema cannot express: numbers of digits, days, and depths. */
const undocumentableMessages =
  /too many digits|digits before and|Expected a date|must be a date|XML|contradict each other|\bis required\b.*row/;

/**
 * Sends every operation of a document with bodies and filters generated from the document alone: its examples, and the
 * smallest, the largest and some values of its schemas. Each response is validated against the document.
 */
export async function requestAsDocumented({ url }: DocumentedApi, { seed, runs, only }: AskOptions): Promise<Asked> {
  const document = (await (await fetch(`${url}/api/api-docs.json`)).json()) as Document;
  const check = makeContractCheck(document as never);
  const bodies = makeBodies(document.components.schemas);
  const ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema(document, "document");
  const issues: string[] = [];
  let requests = 0;
  let accepted = 0;

  const send = async (method: string, path: string, body?: unknown): Promise<void> => {
    requests += 1;
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const response = await fetch(url + path, {
      method,
      ...(sent === undefined ? {} : { body: sent, headers: { "content-type": "application/json" } }),
    });
    const text = await response.text();
    const { status, headers } = response;
    const what = `${method} ${path} ${sent ?? ""}`.slice(0, 900);
    for (const issue of check({ method, path, sent: body, status, headers, text })) issues.push(`${what}: ${issue}`);
    if (status < 400) accepted += 1;
    else if (!isUndocumentable(text)) issues.push(`${what}: ${status} ${text.slice(0, 500)}`);
  };

  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const { operationId, requestBody } = operation;
      if (!(only ?? /^(find|create|update)(One|Many)/).test(operationId)) continue;
      const parameters = (operation.parameters ?? []).map(
        (each) => document.components.parameters?.[each.$ref?.split("/").at(-1) ?? ""] ?? each,
      );
      const id = (parameters.find(({ in: place }) => place === "path") as { example?: string } | undefined)?.example;
      const place = path.replace("{id}", id ?? "1");
      const schema = requestBody?.content["application/json"]?.schema;
      if (schema !== undefined) {
        const named = document.components.schemas[schema.$ref?.split("/").at(-1) ?? ""];
        for (const example of named?.examples ?? []) await send(method.toUpperCase(), place, example);
        const fits = ajv.compile({
          $ref: `document#/paths/${escaped(path)}/${method}/requestBody/content/${escaped("application/json")}/schema`,
        });
        const ways: readonly Schema[] = schema.anyOf ?? [schema];
        for (const way of ways) {
          for (const fill of ["minimal", "maximal", "random"] as const satisfies readonly Fill[]) {
            const made = fc.sample(bodies(way, fill), { seed, numRuns: fill === "random" ? runs : 2 });
            for (const body of made) {
              // The generator itself must conform to the document.
              if (!fits(body))
                issues.push(
                  `${operationId}: made ${JSON.stringify(body).slice(0, 400)}: ${ajv.errorsText(fits.errors)}`,
                );
              else await send(method.toUpperCase(), place, body);
            }
          }
        }
      }
      if (operationId.startsWith("findMany")) {
        for (const [name, value] of parameters
          .filter((each) => each.in === "query")
          .flatMap((each) => valuesOf(each, document, seed)))
          await send("GET", `${path}?${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
        await send("GET", path);
      } else if (method === "get") await send("GET", place);
    }
  }
  return { issues, requests, accepted };
}

/** Every operator of a filter with a value of its schema. */
function valuesOf(
  { name, style, schema, description }: Parameter,
  document: Document,
  seed: number,
): readonly (readonly [string, unknown])[] {
  if (style !== "deepObject" && !name.includes("[")) return [];
  const bodies = makeBodies(document.components.schemas);
  const isListOf = (text: string | undefined): boolean => /separated by commas/.test(text ?? "");
  const made = (one: Schema): unknown =>
    one.examples?.[0] ?? fc.sample(bodies(one, "minimal"), { seed, numRuns: 1 })[0];
  if (style !== "deepObject") return isListOf(description) ? [] : [[name, made(schema)]];
  const { properties = {} } = document.components.schemas[schema.$ref?.split("/").at(-1) ?? ""] ?? {};
  return Object.entries(properties).flatMap(([operator, one]) => {
    // The items of a list are compared with by `equals`, or `has`.
    const isList = isListOf(one.description);
    const item = isList ? (properties.has ?? (operator === "equals" ? undefined : properties.equals)) : one;
    return item === undefined ? [] : [[`${name}[${operator}]`, made(item)] as const];
  });
}

function isUndocumentable(text: string): boolean {
  const { code, errors = [] } = JSON.parse(text) as {
    code: string;
    errors?: readonly { code: string; message: string }[];
  };
  if (undocumentable.has(code)) return true;
  return (
    errors.length > 0 &&
    errors.every((error) => undocumentable.has(error.code) || undocumentableMessages.test(error.message))
  );
}

const escaped = (part: string): string => encodeURIComponent(part.replace(/~/g, "~0").replace(/\//g, "~1"));
