import { z } from "zod";
import { isSecretName } from "./secret-name.js";

/** Any Zod schema, of every flavor. */
export type Schema = z.core.$ZodType;

/**
 * Returns the schemas that a value may have to match inside wrappers (`optional`, `default`, …), unions, pipes and
 * lazies. A wrapper precedes what it wraps.
 *
 * @param value if it selects an option of a discriminated union, the other options are excluded
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
      // A custom check has no keys; its inner schema has.
      return typeOf(def.in) === "custom" ? inside(def.in, def.out) : inside(def.in);
    default:
      return [self];
  }
}

/** The options of a union that a value may match. */
function optionsFor(def: z.core.$ZodUnionDef, value: unknown): readonly Schema[] {
  const { discriminator } = def as { readonly discriminator?: string };
  if (discriminator === undefined || typeof value !== "object" || value === null) return def.options;
  const kind: unknown = Reflect.get(value, discriminator);
  const meant = def.options.filter((option) =>
    schemasAt(option, [discriminator]).some((one) => z.safeParse(one, kind).success),
  );
  return meant.length === 0 ? def.options : meant;
}

/**
 * Returns the schemas at a place, as they were written there; several if a union leaves it open.
 *
 * @param value the complete value, which may select an option
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

/** The schema under a key. */
export function memberOf(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return value instanceof Map ? value.get(key) : Reflect.get(value, key);
}

/** The known keys at a place. */
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

/** The metadata of a schema. */
export interface SchemaMeta {
  /** Replaces its type in messages. */
  readonly expected: string | undefined;
  /** Whether the value is secret; `"url"` for a URL of which only the password is. */
  readonly secret: boolean | "url";
}

/** The metadata `.meta({ expected, secret })` of a schema. */
export function metaOf(schema: Schema): SchemaMeta {
  const meta = z.globalRegistry.get(schema);
  const expected = typeof meta?.expected === "string" ? meta.expected : undefined;
  return { expected, secret: meta?.secret === "url" ? "url" : meta?.secret === true };
}

/** The marks of the schemas on the path. */
const secretsAt = (schema: Schema, path: readonly PropertyKey[]): readonly SchemaMeta["secret"][] =>
  [...path, undefined].flatMap((_, length) =>
    schemasAt(schema, path.slice(0, length)).flatMap((one) => unfold(one).map((inner) => metaOf(inner).secret)),
  );

/** Whether a schema on the path marks its contents as secret. An invalid URL is hidden with everything around its password. */
export const isSecretAt = (schema: Schema, path: readonly PropertyKey[]): boolean =>
  secretsAt(schema, path).some((secret) => secret !== false);

/**
 * Whether a valid value is not shown at all: a schema on the path marks its contents as secret, or the schema leaves the
 * value open, and its key has the name of a secret.
 */
export function isHiddenAt(schema: Schema, path: readonly PropertyKey[]): boolean {
  if (secretsAt(schema, path).includes(true)) return true;
  const isOpen = schemasAt(schema, path).every((one) => ["any", "unknown"].includes(typeOf(one)));
  return isOpen && isSecretName(String(path.at(-1)));
}
