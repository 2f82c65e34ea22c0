import { z } from "zod";

/** Any Zod schema, whichever way it was made. */
export type Schema = z.core.$ZodType;

/**
 * The schemas that a value may have to satisfy behind wrappers (`optional`, `default`, …), unions, pipes and lazies.
 * A wrapper stands before what it wraps.
 *
 * @param value where it says which option of a discriminated union it is, the others do not count
 */
export function unfold(schema: Schema, value?: unknown, seen: readonly Schema[] = []): z.core.$ZodTypes[] {
  if (seen.includes(schema)) return [];
  const self = schema as z.core.$ZodTypes;
  const { def } = self._zod;
  const next = [...seen, schema];
  const inside = (...schemas: readonly Schema[]): z.core.$ZodTypes[] => [
    self,
    ...schemas.flatMap((inner) => unfold(inner, value, next)),
  ];
  switch (def.type) {
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
    case "catch":
    case "success":
    case "promise":
      return inside(def.innerType);
    case "lazy":
      return inside(def.getter());
    case "union":
      return inside(...optionsFor(def, value));
    case "intersection":
      return inside(def.left, def.right);
    case "pipe":
      if (typeOf(def.in) === "transform") return inside(def.out);
      // A check of one's own knows no keys: what it lets through does.
      return typeOf(def.in) === "custom" ? inside(def.in, def.out) : inside(def.in);
    default:
      return [self];
  }
}

/** The options of a union that a value may be. */
function optionsFor(def: z.core.$ZodUnionDef, value: unknown): readonly Schema[] {
  const { discriminator } = def as { readonly discriminator?: string };
  if (discriminator === undefined || typeof value !== "object" || value === null) return def.options;
  const told: unknown = Reflect.get(value, discriminator);
  const meant = def.options.filter((option) =>
    schemasAt(option, [discriminator]).some((one) => z.safeParse(one, told).success),
  );
  return meant.length === 0 ? def.options : meant;
}

/**
 * The schemas at a place, each as it was written there; several where a union leaves it open.
 *
 * @param value the whole that stands against the schema, which may say which option is meant
 */
export function schemasAt(schema: Schema, path: readonly PropertyKey[], value?: unknown): Schema[] {
  let here = [schema];
  let at = value;
  for (const key of path) {
    here = here.flatMap((one) => unfold(one, at).flatMap((inner) => childrenOf(inner, key)));
    at = memberOf(at, key);
  }
  return here;
}

/** What stands under a key. */
export function memberOf(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return value instanceof Map ? value.get(key) : Reflect.get(value, key);
}

/** The keys that are known at a place. */
export function knownKeysAt(schema: Schema, path: readonly PropertyKey[], value?: unknown): string[] {
  const inside = path.reduce(memberOf, value);
  const here = schemasAt(schema, path, value).flatMap((one) => unfold(one, inside));
  const keys = here.flatMap(({ _zod: { def } }) => {
    if (def.type === "object") return Object.keys(def.shape);
    if (def.type !== "record") return [];
    return unfold(def.keyType).flatMap((key) =>
      key._zod.def.type === "enum" ? Object.values(key._zod.def.entries).map(String) : [],
    );
  });
  return [...new Set(keys)];
}

function childrenOf({ _zod: { def } }: z.core.$ZodTypes, key: PropertyKey): Schema[] {
  switch (def.type) {
    case "object": {
      const child = Object.hasOwn(def.shape, key) ? def.shape[String(key)] : def.catchall;
      return child === undefined || typeOf(child) === "never" ? [] : [child];
    }
    case "record":
    case "map":
      return [def.valueType];
    case "array":
      return [def.element];
    case "set":
      return [def.valueType];
    case "tuple":
      return [def.items[Number(key)] ?? def.rest ?? []].flat();
    default:
      return [];
  }
}

const typeOf = (schema: Schema): string => (schema as z.core.$ZodTypes)._zod.def.type;

/** What `.meta({ expected, secret })` says about a schema. */
export function metaOf(schema: Schema): { readonly expected: string | undefined; readonly secret: boolean } {
  const meta = z.globalRegistry.get(schema);
  const expected = typeof meta?.expected === "string" ? meta.expected : undefined;
  return { expected, secret: meta?.secret === true };
}

/** Whether a schema on the way to a place says that what is inside is secret. */
export function isSecretAt(schema: Schema, path: readonly PropertyKey[]): boolean {
  return [...path, undefined].some((_, length) =>
    schemasAt(schema, path.slice(0, length)).some((one) => unfold(one).some((inner) => metaOf(inner).secret)),
  );
}
