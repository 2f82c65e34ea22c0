import type { DateYears } from "../providers/capabilities.js";
import type { Provider } from "../providers/provider.js";
import type { SqlExpression } from "./sql-expression.js";

/** The scalar types of Prisma's schema language. */
export type ScalarType = "String" | "Boolean" | "Int" | "BigInt" | "Float" | "Decimal" | "DateTime" | "Json" | "Bytes";

/** The annotations of a field in `///` comments (contract C11, C13, C144). */
export interface FieldAnnotations {
  /**
   * Never in a response, filter, sort, search or document. A field named `password` always is, together with
   * `writeonly`.
   */
  readonly hidden: boolean;
  /** Rejected in bodies. */
  readonly readonly: boolean;
  /** Accepted in bodies, otherwise hidden. */
  readonly writeonly: boolean;
  /** On a relation: nested create, update and delete are allowed. */
  readonly writable: boolean;
  /** Visible to clients although its name is that of a secret. */
  readonly visible: boolean;
}

interface FieldBase {
  readonly name: string;
  /** The column's name in the database. */
  readonly column: string;
  readonly isList: boolean;
  readonly isRequired: boolean;
  /** The `///` comment without its annotations. */
  readonly documentation: string | undefined;
  readonly annotations: FieldAnnotations;
}

interface StoredFieldBase extends FieldBase {
  readonly isId: boolean;
  readonly isUnique: boolean;
  readonly isUpdatedAt: boolean;
  /** Whether the database or Prisma sets a missing value; a missing list is empty. */
  readonly hasDefault: boolean;
  /**
   * A constant default in the form of contract C4, or the name of the function that creates it (`now`, `autoincrement`,
   * `uuid` …) with its numeric arguments. `undefined` also for a number that JavaScript cannot represent exactly.
   */
  readonly default:
    | { readonly value: unknown }
    | { readonly function: string; readonly args?: readonly number[] }
    | undefined;
  /** Whether a relation of this model is stored in this field. */
  readonly isForeignKey: boolean;
  /** `@db.VarChar(20)` is `{ name: "VarChar", args: ["20"] }`. */
  readonly nativeType: { readonly name: string; readonly args: readonly string[] } | undefined;
}

/** A column of a scalar type. */
export interface ScalarField extends StoredFieldBase {
  readonly kind: "scalar";
  readonly type: ScalarType;
  /** The SQL in place of a column, of a {@link ComputedField.comparable}. */
  readonly expression?: SqlExpression;
  /** The column contains numbers, but neither `NaN` nor the infinities. */
  readonly isFinite?: true;
  /** The column stores microseconds, and rows contain milliseconds. */
  readonly isRounded?: true;
  /** The years of the dates that the column stores, and compares as dates. */
  readonly years?: DateYears;
}

/** A column of an enum type; `values` are the client's names. */
export interface EnumField extends StoredFieldBase {
  readonly kind: "enum";
  readonly type: string;
  readonly values: readonly string[];
  /** The same values in the database. */
  readonly databaseValues: readonly string[];
}

/** A relation to another model, or to the same one. */
export interface RelationField extends FieldBase {
  readonly kind: "relation";
  /** The name of the related model. */
  readonly type: string;
  readonly relation: {
    readonly name: string;
    /** The foreign keys in this model, in order; empty on the other side. */
    readonly fields: readonly string[];
    /** The referenced fields of the related model. */
    readonly references: readonly string[];
    /** The opposite relation field. */
    readonly opposite: string | undefined;
    readonly onDelete: string | undefined;
  };
}

/** A column of a type that Prisma does not support (`Unsupported("…")`): it is ignored. */
export interface UnsupportedField extends FieldBase {
  readonly kind: "unsupported";
  readonly type: string;
}

/** A value that is computed from stored fields of the row after each read, and is stored nowhere (contract C102). */
export interface ComputedField extends FieldBase {
  readonly kind: "computed";
  /** The scalar type that is nearest to the values. */
  readonly type: ScalarType;
  /** The JSON Schema of the values in responses. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The names of the stored fields that {@link compute} receives; hidden ones may be among them. */
  readonly needs: readonly string[];
  /** Returns the value of a row, synchronously. */
  readonly compute: (row: Readonly<Record<string, unknown>>) => unknown;
  /** The same value as SQL, for filters and orders; `undefined` without. */
  readonly comparable?: ScalarField | undefined;
}

/** A field that is stored in a column. */
export type StoredField = ScalarField | EnumField;
/** A field of a model. */
export type Field = StoredField | RelationField | UnsupportedField | ComputedField;

/** Fields that together identify one row, if none of their values is null. */
export interface UniqueKey {
  /** The key's name in Prisma's `where`: the field's own name, or `a_b` (or a custom name) for several. */
  readonly name: string;
  /** In the order of the key. */
  readonly fields: readonly StoredField[];
  /** The constraint's name in the database. */
  readonly constraint: string;
}

/** One model of the schema, as a frozen value. */
export interface Model {
  /** As in the schema, such as `MediaType`. */
  readonly name: string;
  /** The delegate's name on the client, such as `mediaType`. */
  readonly delegate: string;
  /** Kebab-case singular, such as `media-type`. */
  readonly resource: string;
  /** The table's (or view's) name in the database. */
  readonly table: string;
  readonly provider: Provider;
  /** The database schema, if the Prisma schema sets one. */
  readonly schema: string | undefined;
  readonly isView: boolean;
  /** Whether the database enforces the relations of the schema; false with `relationMode = "prisma"`. */
  readonly hasForeignKeys: boolean;
  /** False for a view, and for a table with a required column that Prisma cannot write. */
  readonly isCreatable: boolean;
  /** Required columns without a default that the client cannot write: of an unsupported type, or `@ignore`. */
  readonly unsettable: readonly string[];
  readonly documentation: string | undefined;
  /** In schema order. */
  readonly fields: readonly Field[];
  readonly fieldsByName: ReadonlyMap<string, Field>;
  /** The key of `:id` (contract C7), never a hidden field; `undefined` for a view without a key. */
  readonly key: UniqueKey | undefined;
  /** Every unique key: the id first, and nullable ones last, because they do not identify every row. */
  readonly uniqueKeys: readonly UniqueKey[];
  /** How `search` finds rows by an index, if the model's configuration sets it (contract C103). */
  readonly search?: SearchDefinition;
}

/** The search of a model by an index of PostgreSQL. */
export interface SearchDefinition {
  /** `fullText`: words in any of their forms; `similarity`: similar spellings, with `pg_trgm`. */
  readonly mode: "fullText" | "similarity";
  /** The text search configuration of PostgreSQL, such as `english`. */
  readonly language: string;
  /** The names of the fields, the most important one first. */
  readonly fields: readonly string[];
}

/** All models of a schema by name, in schema order. */
export type Models = ReadonlyMap<string, Model>;
