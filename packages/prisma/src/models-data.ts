import type { ScalarType } from "./model.js";

/** What the generator writes: a Prisma schema as plain data. What is false, absent or equal to the name is left out. */
export interface ModelsData {
  /** The version of this form; `readModels` takes no other. */
  readonly format: 1;
  readonly enums: readonly EnumData[];
  readonly models: readonly ModelData[];
}

export interface EnumData {
  readonly name: string;
  /** The type's name in the database. */
  readonly databaseName?: string;
  readonly documentation?: string;
  readonly values: readonly EnumValueData[];
}

export interface EnumValueData {
  readonly name: string;
  /** As it stands in the database. */
  readonly databaseName?: string;
}

export interface ModelData {
  readonly name: string;
  readonly table?: string;
  readonly schema?: string;
  readonly isView?: true;
  /** Present when rows cannot be created: a view, or a table with a required column that Prisma cannot write. */
  readonly isCreatable?: false;
  /** Required columns without a default that the client cannot write: of an unsupported type, or `@ignore`. */
  readonly unsettable?: readonly string[];
  readonly documentation?: string;
  readonly fields: readonly FieldData[];
  /** The id first, then the unique keys in schema order. */
  readonly keys: readonly KeyData[];
}

interface FieldDataBase {
  readonly name: string;
  readonly isList?: true;
  readonly isOptional?: true;
  readonly documentation?: string;
}

interface StoredFieldData extends FieldDataBase {
  readonly column?: string;
  readonly isUpdatedAt?: true;
  readonly isForeignKey?: true;
  readonly nativeType?: { readonly name: string; readonly args: readonly string[] };
  readonly default?: { readonly value: unknown } | { readonly function: string; readonly args?: readonly number[] };
}

export interface ScalarFieldData extends StoredFieldData {
  readonly kind: "scalar";
  readonly type: ScalarType;
}

export interface EnumFieldData extends StoredFieldData {
  readonly kind: "enum";
  readonly type: string;
}

export interface RelationFieldData extends FieldDataBase {
  readonly kind: "relation";
  readonly type: string;
  readonly relation: {
    readonly name: string;
    readonly fields?: readonly string[];
    readonly references?: readonly string[];
    readonly onDelete?: string;
  };
}

export interface UnsupportedFieldData extends FieldDataBase {
  readonly kind: "unsupported";
  readonly type: string;
  readonly column?: string;
}

export type FieldData = ScalarFieldData | EnumFieldData | RelationFieldData | UnsupportedFieldData;

export interface KeyData {
  readonly kind: "id" | "unique";
  readonly fields: readonly string[];
  /** The name given in the schema: what Prisma's `where` calls a key of several fields. */
  readonly name?: string;
  /** The constraint's name in the database, where the schema gives one (`map`). */
  readonly constraint?: string;
}
