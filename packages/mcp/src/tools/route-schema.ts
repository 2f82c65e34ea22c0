import type { McpDocument } from "../mcp-context.js";
import type { ListedTool } from "./tool.js";

/** The parts of a documented operation that a tool uses. */
export interface RouteSchema {
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly inputSchema: ListedTool["inputSchema"];
}

type Value = Readonly<Record<string, unknown>>;

/** The input of a declared route, from the document: path and query parameters, and the body. */
export function schemaOf(method: string, path: string, document: McpDocument): RouteSchema {
  const template = path.replace(/:([A-Za-z_]\w*)/g, "{$1}");
  const operation = asObject(document.paths[template]?.[method.toLowerCase()]);
  const reached = new Map<string, unknown>();
  const resolve = (value: unknown): unknown => withDefinitions(value, document, reached);
  const parameters = asList(operation.parameters).map((each) => asObject(follow(each, document)));
  const group = (place: string): Value | undefined => {
    const inPlace = parameters.filter((each) => each.in === place);
    if (inPlace.length === 0) return undefined;
    const required = inPlace.flatMap(({ name, required }) => (required === true ? [name] : []));
    return {
      type: "object",
      properties: Object.fromEntries(inPlace.map((each) => [String(each.name), withWords(resolve(each.schema), each)])),
      ...(required.length === 0 ? {} : { required }),
    };
  };
  const body = asObject(follow(operation.requestBody, document));
  const content = asObject(asObject(asObject(body.content)["application/json"]).schema);
  const parts: Record<string, unknown> = {
    params: group("path"),
    query: group("query"),
    body: Object.keys(content).length === 0 ? undefined : resolve(content),
  };
  const properties = Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
  const required = [
    ...(properties.params === undefined ? [] : ["params"]),
    ...(asObject(properties.query).required === undefined ? [] : ["query"]),
    ...(properties.body !== undefined && body.required === true ? ["body"] : []),
  ];
  return {
    summary: textOf(operation.summary),
    description: textOf(operation.description),
    inputSchema: {
      type: "object",
      properties,
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
      ...(reached.size === 0 ? {} : { $defs: Object.fromEntries(reached) }),
    },
  };
}

const componentPrefix = "#/components/schemas/";

/** A schema with the schemas that it references, under their own names. */
function withDefinitions(value: unknown, document: McpDocument, reached: Map<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((inner) => withDefinitions(inner, document, reached));
  if (typeof value !== "object" || value === null) return value;
  const { $ref: reference } = value as { readonly $ref?: unknown };
  if (typeof reference === "string" && reference.startsWith(componentPrefix)) {
    const name = reference.slice(componentPrefix.length);
    if (!reached.has(name)) {
      // Registered before it is traversed, because a schema may reference itself.
      reached.set(name, {});
      reached.set(name, withDefinitions(follow(value, document), document, reached));
    }
    return { ...value, $ref: `#/$defs/${name}` };
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withDefinitions(inner, document, reached)]),
  );
}

/** The target of a reference within the document. */
function follow(value: unknown, document: McpDocument): unknown {
  const { $ref: reference } = asObject(value);
  if (typeof reference !== "string") return value;
  return reference
    .slice(2)
    .split("/")
    .reduce<unknown>((found, part) => asObject(found)[part], document);
}

const withWords = (schema: unknown, { description }: Value): unknown =>
  description === undefined ? schema : { ...asObject(schema), description };

const asObject = (value: unknown): Value =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Value) : {};
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
