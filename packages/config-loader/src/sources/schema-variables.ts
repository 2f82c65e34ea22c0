import { joinOr, nearestWord } from "@servicekit/core/internal";
import { expectedWords, metaOf, type Schema, unfold } from "@servicekit/core/schema";
import type { z } from "zod";
import type { ValueType } from "./read-value.js";
import type { Environment, Variable, VariableTable } from "./read-variables.js";

/** Another name of the variable of a key. */
export interface VariableAlias {
  readonly key: string;
  /** A block without which the variable is not read, because its name may have another meaning. */
  readonly within?: string;
}

/**
 * Returns a variable for each key of a schema that text can represent: strings, numbers, booleans, enums, and lists of
 * them. Its name is the prefix and the key in capitals, with `_` between words: `limits.page.max` is
 * `SERVICE_LIMITS_PAGE_MAX`.
 *
 * @param aliases other names of such variables; the generated name takes precedence
 */
export function schemaVariables(
  schema: Schema,
  prefix: string,
  aliases: Readonly<Record<string, VariableAlias>> = {},
): VariableTable {
  const places = new Map<string, Place>();
  findPlaces(unfold(schema), "", places);
  const table: Record<string, Variable> = {};
  const ruled: Record<string, Variable> = {};
  for (const [key, place] of places) {
    const name = `${prefix}_${key.replaceAll(/([a-z0-9])([A-Z])|\./g, "$1_$2")}`.toUpperCase();
    if (Object.hasOwn(ruled, name)) throw new TypeError(`${name} would set both ${ruled[name]?.key} and ${key}.`);
    ruled[name] = textVariable({ key }, place);
  }
  for (const [name, alias] of Object.entries(aliases)) {
    const place = places.get(alias.key);
    if (place === undefined)
      throw new TypeError(`${name} would set ${alias.key}, whose value cannot be written as text.`);
    table[name] = textVariable(alias, place);
  }
  return { ...table, ...ruled };
}

/** The issues of unknown variables that start with the prefix, each as a sentence. */
export function unknownVariables(environment: Environment, prefix: string, table: VariableTable): string[] {
  const names = Object.keys(table);
  return Object.keys(environment)
    .filter((name) => name.startsWith(`${prefix}_`) && !Object.hasOwn(table, name))
    .map((name) => {
      const nearest = nearestWord(name, names);
      return `The environment variable ${name} is unknown.${nearest === undefined ? "" : ` Did you mean ${nearest}?`}`;
    });
}

/** A place that text can set: several schemas if a union has several options, and how they are read. */
interface Place {
  readonly schemas: Schema[];
  readonly kinds: ValueType[];
  /** The block that the key alone does not create, because it requires other keys. */
  readonly block: Block | undefined;
}

type Block = Required<Pick<Variable, "within" | "needed">>;

/** The places below a schema, expanded. */
function findPlaces(
  options: readonly z.core.$ZodTypes[],
  key: string,
  places: Map<string, Place>,
  outer?: Block,
): void {
  for (const { _zod } of options) {
    if (_zod.def.type !== "object") continue;
    const { shape } = _zod.def;
    const required = Object.keys(shape).filter((name) => shape[name]?._zod.optin !== "optional");
    const own =
      key === "" || required.length === 0
        ? undefined
        : { within: key, needed: required.map((name) => `${key}.${name}`) };
    for (const [name, child] of Object.entries(shape)) {
      const block = outer ?? (required.includes(name) ? undefined : own);
      const inner = key === "" ? name : `${key}.${name}`;
      const unfolded = unfold(child);
      const kinds = unfolded.flatMap(kindOf);
      if (kinds.length > 0) {
        const place = places.get(inner) ?? { schemas: [], kinds: [], block };
        place.schemas.push(child);
        place.kinds.push(...kinds);
        places.set(inner, place);
      }
      findPlaces(unfolded, inner, places, block);
    }
  }
}

function textVariable(alias: VariableAlias, { schemas, kinds, block }: Place): Variable {
  return {
    // A name that may have another meaning is not read without its block.
    ...(alias.within === undefined ? block : {}),
    ...alias,
    type: "any",
    // Of hundreds of variables only a few are set, so the object is not copied.
    get of() {
      return inOrder(kinds);
    },
    get expected() {
      const words = joinOr([...new Set(schemas.flatMap(wordsOf))]);
      return this.of.some(({ type }) => type === "list") ? `${words}, separated by commas` : words;
    },
  };
}

/** How text is read for a schema; none if only code can set it. */
function kindsOf(schema: Schema): ValueType[] {
  return unfold(schema).flatMap(kindOf);
}

function kindOf({ _zod: { def } }: z.core.$ZodTypes): ValueType[] {
  switch (def.type) {
    case "string":
      return [{ type: "text" }];
    case "boolean":
      return [{ type: "boolean" }];
    case "number":
      return [{ type: "format" in def ? "integer" : "number" }];
    case "enum":
      return [{ type: "enum", values: Object.values(def.entries).map(String) }];
    case "literal": {
      const values = def.values.filter((value) => typeof value === "string");
      const isSwitch = def.values.some((value) => typeof value === "boolean");
      return [...(values.length === 0 ? [] : [{ type: "enum", values } as const]), ...(isSwitch ? [booleanKind] : [])];
    }
    case "array": {
      const [first, ...others] = inOrder(kindsOf(def.element).filter(({ type }) => type !== "list"));
      if (first === undefined) return [];
      const of = others.length === 0 ? first : { type: "any" as const, of: [first, ...others], expected: "a text" };
      return [{ type: "list", of }];
    }
    default:
      return [];
  }
}

const booleanKind = { type: "boolean" } as const;

/** The narrow kinds first, because every text is a string. Where a string is accepted, its reader handles commas. */
const order: readonly ValueType["type"][] = ["enum", "integer", "number", "boolean", "text", "list"];

function inOrder(kinds: readonly ValueType[]): ValueType[] {
  const hasText = kinds.some(({ type }) => type === "text");
  return kinds
    .filter(({ type }) => !(hasText && type === "list"))
    .sort((a, b) => order.indexOf(a.type) - order.indexOf(b.type));
}

/** Describes the texts that a schema accepts, without objects and functions. */
function wordsOf(schema: Schema): readonly string[] {
  const all = unfold(schema).filter(({ _zod: { def } }) => def.type !== "custom" && def.type !== "object");
  const stated = all.map((one) => metaOf(one).expected).find((expected) => expected !== undefined);
  if (stated !== undefined) return [stated];
  return all
    .filter((one) => kindOf(one).length > 0)
    .flatMap((one) => {
      const { def } = one._zod;
      if (def.type !== "array") return expectedWords(one) ?? [];
      const items = joinOr([...wordsOf(def.element)]);
      return [kindsOf(def.element).some(({ type }) => type === "enum") ? `some of ${items}` : `a list, each ${items}`];
    });
}
