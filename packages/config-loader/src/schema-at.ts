import { z } from "zod";

/** Any Zod schema, whichever way it was made. */
export type Schema = z.core.$ZodType;

/**
 * The schemas that a value may have to satisfy behind wrappers (`optional`, `default`, …), unions, pipes and lazies.
 * A wrapper stands before what it wraps.
 */
export function unfold(schema: Schema, seen: ReadonlySet<Schema> = new Set()): z.core.$ZodTypes[] {
  if (seen.has(schema)) return [];
  const self = schema as z.core.$ZodTypes;
  const { def } = self._zod;
  const next = new Set(seen).add(schema);
  const inside = (...schemas: readonly Schema[]): z.core.$ZodTypes[] => [
    self,
    ...schemas.flatMap((inner) => unfold(inner, next)),
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
      return inside(...def.options);
    case "intersection":
      return inside(def.left, def.right);
    case "pipe":
      return inside(typeOf(def.in) === "transform" ? def.out : def.in);
    default:
      return [self];
  }
}

/** The schemas at a place, each as it was written there; several where a union leaves it open. */
export function schemasAt(schema: Schema, path: readonly PropertyKey[]): Schema[] {
  return path.reduce<Schema[]>(
    (here, key) => here.flatMap((one) => unfold(one).flatMap((inner) => childrenOf(inner, key))),
    [schema],
  );
}

/** The keys that are known at a place. */
export function knownKeysAt(schema: Schema, path: readonly PropertyKey[]): string[] {
  const here = schemasAt(schema, path).flatMap((one) => unfold(one));
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
