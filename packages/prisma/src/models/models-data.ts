import type { ScalarType } from "./model.js";

/** The output of the generator: a Prisma schema as plain data. False, missing and redundant values are omitted. */
export interface ModelsData {
  /** The version of this format; `readModels` accepts no other. */
  readonly format: 1;
  /** The provider of the datasource. @default "postgresql" */
  readonly provider?: "sqlite" | "mysql";
  /** Present if Prisma enforces the relations instead of the database. */
  readonly relationMode?: "prisma";
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
  /** As in the database. */
  readonly databaseName?: string;
}

export interface ModelData {
  readonly name: string;
  readonly table?: string;
  readonly schema?: string;
  readonly isView?: true;
  /** Present if rows cannot be created: a view, or a table with a required column that Prisma cannot write. */
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
  /** The custom name in the schema: Prisma's name of a key of several fields in `where`. */
  readonly name?: string;
  /** The constraint's name in the database, if the schema sets one (`map`). */
  readonly constraint?: string;
}
