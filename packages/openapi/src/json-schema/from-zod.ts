import { getOpenApiMetadata, getRefId } from "@asteasolutions/zod-to-openapi";
import type { DocumentObject, ZodSchema } from "@servicekit/router";
import { z } from "zod";
import { rewriteReferences } from "./rewrite-references.js";
import type { Direction, SchemaCollector } from "./schema-collector.js";

type Json = Record<string, unknown>;

/** Formats that say what the pattern beside them says. */
const formats = new Set(["email", "uuid", "date-time", "date", "time", "ipv4", "ipv6", "uri", "cidrv4", "cidrv6"]);

/** What JSON carries in place of values that it does not know (contract C4). */
const stand: Readonly<Record<string, DocumentObject>> = {
  date: { type: "string", format: "date-time" },
  bigint: { type: "string", pattern: "^-?\\d+$" },
};

/** Types of which nothing can be said. */
const unknown = new Set([
  "custom",
  "symbol",
  "map",
  "set",
  "transform",
  "function",
  "promise",
  "undefined",
  "void",
  "nan",
]);

/**
 * A Zod schema as JSON Schema. Named schemas (`.meta({ id })`, `.openapi("Name")`) become components, recursive ones
 * too; a part that cannot be shown is documented as such, with a warning.
 *
 * @param name what the schema is called in the document when it has no name of its own and needs one
 */
export function fromZod(
  schema: ZodSchema,
  direction: Direction,
  name: string,
  collector: SchemaCollector,
): DocumentObject {
  let made: Json;
  try {
    made = z.toJSONSchema(schema as unknown as z.ZodType, {
      io: direction,
      unrepresentable: "any",
      override: ({ zodSchema, jsonSchema, path }) => {
        tidy(zodSchema as unknown as z.ZodType, jsonSchema as Json, () => {
          collector.warn(`${name}: the type ${zodSchema._zod.def.type} at /${path.join("/")} cannot be shown.`);
        });
      },
    }) as Json;
  } catch (error) {
    collector.warn(`${name}: the schema cannot be shown: ${error instanceof Error ? error.message : String(error)}`);
    return { description: "This value cannot be described." };
  }
  const { $schema: _, $defs: definitions = {}, ...body } = made as Json & { $defs?: Readonly<Record<string, Json>> };
  const suffix = direction === "output" ? "Output" : "";
  const names = new Map<string, string>();
  for (const [key, definition] of Object.entries(definitions)) {
    const wanted = /^__schema\d+$/.test(key) ? `${name}Part` : key;
    const text = JSON.stringify(definition);
    const plain = collector.nameFor(wanted, text);
    // Only where what is sent and what is answered differ is there a second schema.
    names.set(`#/$defs/${key}`, plain === wanted || suffix === "" ? plain : collector.nameFor(wanted + suffix, text));
  }
  const ownName = refIdOf(schema) ?? (JSON.stringify(body).includes('"#"') ? name : undefined);
  const rename = (reference: string): string => {
    const known = reference === "#" ? ownName : names.get(reference);
    return known === undefined ? reference : `#/components/schemas/${known}`;
  };
  for (const [key, definition] of Object.entries(definitions)) {
    const { id: _id, ...rest } = definition;
    collector.add(names.get(`#/$defs/${key}`) ?? key, rewriteReferences(rest, rename));
  }
  const { id: _id, ...own } = body;
  const shown = rewriteReferences(own, rename);
  const isOnlyReference = Object.keys(shown).join() === "$ref";
  return ownName === undefined || isOnlyReference ? shown : collector.add(ownName, shown);
}

/** The name that a schema was given by its author. */
export function refIdOf(schema: ZodSchema): string | undefined {
  const id = z.globalRegistry.get(schema as unknown as z.ZodType)?.id;
  return id ?? getRefId(schema as unknown as z.ZodType);
}

function tidy(schema: z.ZodType, json: Json, tellUnknown: () => void): void {
  const { type } = schema._zod.def;
  const standIn = stand[type];
  if (standIn !== undefined) Object.assign(json, standIn);
  else if (unknown.has(type) && Object.keys(json).length === 0) {
    tellUnknown();
    json.description = "This value cannot be described.";
  }
  if (typeof json.format === "string" && formats.has(json.format)) delete json.pattern;
  // What a metadata call of zod-to-openapi said goes over what was found.
  const { _internal, param: _param, ...said } = getOpenApiMetadata(schema);
  Object.assign(json, said);
}
