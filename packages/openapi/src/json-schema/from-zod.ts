import { getOpenApiMetadata, getRefId } from "@asteasolutions/zod-to-openapi";
import type { DocumentObject, ZodSchema } from "@servicekit/router";
import { z } from "zod";
import { rewriteReferences } from "./rewrite-references.js";
import type { Direction, SchemaCollector } from "./schema-collector.js";

type Json = Record<string, unknown>;

/** Formats that repeat the pattern next to them. */
const formats = new Set(["email", "uuid", "date-time", "date", "time", "ipv4", "ipv6", "uri", "cidrv4", "cidrv6"]);

/** How JSON represents values that it does not support (contract C4). */
const representations: Readonly<Record<string, DocumentObject>> = {
  date: { type: "string", format: "date-time" },
  bigint: { type: "string", pattern: "^-?\\d+$" },
};

/** Types that cannot be documented. */
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
 * A Zod schema as JSON Schema. Named schemas (`.meta({ id })`, `.openapi("Name")`) become components, including
 * recursive ones; a part that cannot be represented is documented as such, with a warning.
 *
 * @param name the name in the document if the schema has no name of its own and needs one
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
          collector.warn(`${name}: the type ${zodSchema._zod.def.type} at /${path.join("/")} cannot be documented.`);
        });
      },
    }) as Json;
  } catch (error) {
    collector.warn(
      `${name}: the schema cannot be documented: ${error instanceof Error ? error.message : String(error)}`,
    );
    return { description: "This value cannot be documented." };
  }
  const { $schema: _, $defs: definitions = {}, ...body } = made as Json & { $defs?: Readonly<Record<string, Json>> };
  const suffix = direction === "output" ? "Output" : "";
  const names = new Map<string, string>();
  for (const [key, definition] of Object.entries(definitions)) {
    const wanted = /^__schema\d+$/.test(key) ? `${name}Part` : key;
    const text = JSON.stringify(definition);
    const plain = collector.nameFor(wanted, text);
    // A second schema only if input and output differ.
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

/** The name that its author gave to a schema. */
export function refIdOf(schema: ZodSchema): string | undefined {
  const id = z.globalRegistry.get(schema as unknown as z.ZodType)?.id;
  return id ?? getRefId(schema as unknown as z.ZodType);
}

function tidy(schema: z.ZodType, json: Json, onUnknown: () => void): void {
  const { type } = schema._zod.def;
  const representation = representations[type];
  if (representation !== undefined) Object.assign(json, representation);
  else if (unknown.has(type) && Object.keys(json).length === 0) {
    onUnknown();
    json.description = "This value cannot be documented.";
  }
  if (typeof json.format === "string" && formats.has(json.format)) delete json.pattern;
  // Metadata of zod-to-openapi overrides what was derived.
  const { _internal, param: _param, ...metadata } = getOpenApiMetadata(schema);
  Object.assign(json, metadata);
}
