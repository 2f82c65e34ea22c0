import type { Access, AvailableField, AvailableResource } from "../api/discovery.js";
import type { Row } from "../api/shop.js";

export type FieldKind =
  | "text"
  | "boolean"
  | "integer"
  | "bigint"
  | "float"
  | "decimal"
  | "datetime"
  | "json"
  | "bytes"
  | "enum"
  | "relation";

/** A field of a model that the caller can see. */
export interface FieldInfo extends AvailableField {
  readonly title: string;
  readonly kind: FieldKind;
  /** The to-one relation that is stored in this field alone. */
  readonly keyOf: FieldInfo | undefined;
}

export type Operation =
  | "findMany"
  | "aggregate"
  | "findOne"
  | "createOne"
  | "updateOne"
  | "deleteOne"
  | "createMany"
  | "updateMany"
  | "deleteMany"
  | "restoreOne"
  | "history"
  | "restoreState"
  | "findDeleted"
  | "findDeliveries"
  | "redeliver"
  | "rotateSecret"
  | "deletePermanently";

/** A model, as far as the caller can see it. */
export interface ModelInfo {
  /** Such as `product-image`. */
  readonly name: string;
  /** The name in the schema, such as `ProductImage`. */
  readonly schemaName: string;
  /** Such as `Product images`. */
  readonly title: string;
  /** One row, such as `product image`. */
  readonly one: string;
  /** Such as `/api/product-images`. */
  readonly path: string;
  /** The name of the model in the client, such as `productImages`. */
  readonly property: string;
  readonly key: readonly string[];
  readonly fields: readonly FieldInfo[];
  readonly field: (name: string) => FieldInfo | undefined;
  /** Whether the operation exists and the caller may use it. */
  readonly may: (operation: Operation) => boolean;
  /** The access of the operation; `undefined` if it does not exist or is not visible to the caller. */
  readonly accessOf: (operation: Operation) => Access | undefined;
}

const kinds: Readonly<Record<string, FieldKind>> = {
  String: "text",
  Boolean: "boolean",
  Int: "integer",
  BigInt: "bigint",
  Float: "float",
  Decimal: "decimal",
  DateTime: "datetime",
  Json: "json",
  Bytes: "bytes",
};

/** `unitPrice` and `unit-price` as `Unit price`. */
export function toTitle(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[-_]+/g, " ")
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const toPascalCase = (name: string): string =>
  name.replace(/(^|-)([a-z\d])/g, (_all, _dash, letter: string) => letter.toUpperCase());

const kindOf = ({ relation, values, type }: AvailableField): FieldKind =>
  relation !== undefined ? "relation" : values !== undefined ? "enum" : (kinds[type] ?? "text");

/** Reads the models of the service's discovery. */
export function toModels(resources: readonly AvailableResource[]): readonly ModelInfo[] {
  // The type of a relation is the name of the model in the schema.
  const schemaNames = new Map(
    resources.flatMap(({ fields }) =>
      fields.flatMap(({ relation, type }) => (relation === undefined ? [] : [[relation, type] as const])),
    ),
  );
  return resources.map((resource) => {
    const last = resource.path.slice(resource.path.lastIndexOf("/") + 1);
    const plain: readonly FieldInfo[] = resource.fields.map((field) => ({
      ...field,
      title: toTitle(field.name),
      kind: kindOf(field),
      keyOf: undefined,
    }));
    const relationOf = (name: string): FieldInfo | undefined =>
      plain.find(({ references = {} }) => Object.keys(references).length === 1 && name in references);
    const fields = plain.map((field) =>
      field.kind === "relation" ? field : { ...field, keyOf: relationOf(field.name) },
    );
    const byName = new Map(fields.map((field) => [field.name, field]));
    const allowed = new Set<string>(
      resource.operations.filter(({ allowed: is }) => is !== false).map(({ name }) => name),
    );
    return {
      name: resource.name,
      schemaName: schemaNames.get(resource.name) ?? toPascalCase(resource.name),
      title: toTitle(last),
      one: toTitle(resource.name).toLowerCase(),
      path: resource.path,
      property: last.replace(/-([a-z\d])/g, (_all, letter: string) => letter.toUpperCase()),
      key: resource.key,
      fields,
      field: (name) => byName.get(name),
      may: (operation) => allowed.has(operation),
      accessOf: (operation) => resource.operations.find((each) => each.name === operation)?.access,
    };
  });
}

/** The key values of a row; `undefined` if the row does not contain them. */
export function keyOf(model: ModelInfo, row: Row): readonly unknown[] | undefined {
  const values = model.key.map((name) => row[name]);
  return values.length === 0 || values.some((value) => value === undefined || value === null) ? undefined : values;
}

/** The key of a row as one path segment (contract C7). */
export const writeKey = (key: readonly unknown[]): string =>
  key.map((value) => encodeURIComponent(String(value))).join(",");

/** The opposite of {@link writeKey}. */
export const readKey = (segment: string): readonly string[] =>
  segment.split(",").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      // A manually entered URL is used unchanged.
      return part;
    }
  });

/** Fields that label rows, the most likely first. */
const labelNames =
  /^(name|title|label|fullName|displayName|username|reference|subject|email|slug|code|sku|key|number)$/i;

/** The field that labels a row. */
export function labelField(model: ModelInfo): FieldInfo | undefined {
  const texts = model.fields.filter(({ kind, list }) => kind === "text" && !list);
  const rank = ({ name }: FieldInfo): number => {
    const at = labelNames.source.slice(2, -2).toLowerCase().split("|").indexOf(name.toLowerCase());
    return at < 0 ? Number.POSITIVE_INFINITY : at;
  };
  const [best] = [...texts].filter((field) => labelNames.test(field.name)).sort((a, b) => rank(a) - rank(b));
  return best ?? texts.find(({ unique, keyOf: relation }) => unique && relation === undefined);
}

/** The label of a row. */
export function labelOf(model: ModelInfo, row: Row): string {
  const field = labelField(model);
  const value = field === undefined ? undefined : row[field.name];
  if (typeof value === "string" && value !== "") return value;
  const key = keyOf(model, row);
  return key === undefined ? "(unnamed)" : `#${key.join(", ")}`;
}

/** Whether queries may use a field: any stored field, and some computed ones. */
export const isQueryable = ({ computed, queryable }: FieldInfo): boolean => computed !== true || queryable === true;
