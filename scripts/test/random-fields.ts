/** The generated models, as far as queries need them: read without our own reader. */
export interface ModelShape {
  readonly name: string;
  readonly fields: readonly FieldShape[];
  readonly keys: readonly { readonly fields: readonly string[] }[];
}

export interface FieldShape {
  readonly name: string;
  readonly kind: string;
  readonly type: string;
  readonly isList?: boolean;
  readonly isOptional?: boolean;
  readonly isForeignKey?: boolean;
  readonly documentation?: string;
  readonly nativeType?: { readonly name: string; readonly args: readonly string[] };
}

export interface SchemaShape {
  readonly enums: readonly { readonly name: string; readonly values: readonly { readonly name: string }[] }[];
  readonly models: readonly ModelShape[];
}

export interface Term {
  readonly segments: readonly string[];
  readonly values: readonly string[];
}

export const order = ["lt", "lte", "gt", "gte"] as const;
export const equality = ["equals", "not", "in", "notIn"] as const;
export const text = ["contains", "icontains", "startsWith", "istartsWith", "endsWith", "iendsWith", "iequals"] as const;

export const isStored = ({ kind }: FieldShape): boolean => kind === "scalar" || kind === "enum";
export const keyOrder = (names: readonly string[]): object[] => names.map((name) => ({ [name]: "asc" }));
export const isOrdered = ({ isList, type }: FieldShape): boolean =>
  isList !== true && type !== "Json" && type !== "Bytes";
export const under = (prefix: readonly string[], terms: readonly Term[]): readonly Term[] =>
  terms.map(({ segments, values }) => ({ segments: [...prefix, ...segments], values }));
export const literally = (given: string): string => given.replaceAll(/[\\%_]/g, "\\$&");
export const slice = (given: string, from: number, length: number): string =>
  [...given.slice(from, from + length)].join("").toWellFormed().replaceAll("\ufffd", "a");
export const swapCase = (given: string): string =>
  given === given.toLowerCase() ? given.toUpperCase() : given.toLowerCase();

/** A cursor can only contain values that are exact in JSON and have an order. */
export function isFollowable({ kind, type, nativeType }: FieldShape): boolean {
  if (kind === "enum" || type === "Boolean") return false;
  return (
    type !== "DateTime" ||
    nativeType === undefined ||
    nativeType.name === "Date" ||
    Number(nativeType.args[0] ?? 6) <= 3
  );
}

export function operatorsFor({ kind, type, nativeType }: FieldShape): readonly string[] {
  if (kind === "enum") return equality;
  if (type === "Boolean") return ["equals", "not"];
  const isPlainText = type === "String" && !["Uuid", "Inet", "Char"].includes(nativeType?.name ?? "");
  return isPlainText ? [...equality, ...order, ...text, ...text] : [...equality, ...order];
}

/** An operator of the contract in Prisma's terms. */
export function meaning(operator: string, value: unknown): unknown {
  const insensitive = (operation: string) => ({ [operation]: literally(value as string), mode: "insensitive" });
  switch (operator) {
    case "contains":
    case "startsWith":
    case "endsWith":
      return { [operator]: literally(value as string) };
    case "icontains":
      return insensitive("contains");
    case "istartsWith":
      return insensitive("startsWith");
    case "iendsWith":
      return insensitive("endsWith");
    case "iequals":
      return insensitive("equals");
    default:
      return { [operator]: value };
  }
}

/** The notations of a name: with underscores, with brackets, with both. */
export function spell([first = "", ...rest]: readonly string[], form: number): string {
  if (form === 0 && !rest.includes("")) return [first, ...rest].join("__");
  if (form === 1 || rest.includes("")) return first + rest.map((segment) => `[${segment}]`).join("");
  return first + rest.map((segment, index) => (index % 2 === 0 ? `__${segment}` : `[${segment}]`)).join("");
}

/** The form of contract C4. */
export function inResponse(field: FieldShape, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => inResponse({ ...field, isList: false }, item));
  if (value === null || field.type === "Json") return value;
  switch (field.type) {
    case "BigInt":
      return String(value);
    case "Decimal": {
      const places = field.nativeType?.args[1];
      return (value as { toFixed(places?: number): string }).toFixed(places === undefined ? undefined : Number(places));
    }
    case "DateTime":
      return (value as Date).toISOString();
    case "Bytes":
      return Buffer.from(value as Uint8Array).toString("base64");
    default:
      return field.nativeType?.name === "Char" ? (value as string).trimEnd() : value;
  }
}
