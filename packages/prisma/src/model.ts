/** The scalar types of Prisma's schema language. */
export type ScalarType = "String" | "Boolean" | "Int" | "BigInt" | "Float" | "Decimal" | "DateTime" | "Json" | "Bytes";

/** What `///` comments say of a field (contract C11, C13). */
export interface FieldMarks {
  /** Never in a response, filter, sort, search or document. A field named `password` always is, and `writeonly` with it. */
  readonly hidden: boolean;
  /** Refused in bodies. */
  readonly readonly: boolean;
  /** Accepted in bodies, otherwise hidden. */
  readonly writeonly: boolean;
  /** On a relation: nested create, update and delete are open. */
  readonly writable: boolean;
}

interface FieldBase {
  readonly name: string;
  /** The column's name in the database. */
  readonly column: string;
  readonly isList: boolean;
  readonly isRequired: boolean;
  /** The `///` comment without its marks. */
  readonly documentation: string | undefined;
  readonly marks: FieldMarks;
}

interface StoredFieldBase extends FieldBase {
  readonly isId: boolean;
  readonly isUnique: boolean;
  readonly isUpdatedAt: boolean;
  /** Whether the database, or Prisma, supplies a value that a body leaves out; a list left out is empty. */
  readonly hasDefault: boolean;
  /**
   * A constant default in the form of contract C4, or the name of the function that makes it (`now`, `autoincrement`,
   * `uuid` …) with its arguments that are numbers. `undefined` also for a number that JavaScript cannot hold exactly.
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
}

/** A column of an enum type; `values` are the names that the client sees. */
export interface EnumField extends StoredFieldBase {
  readonly kind: "enum";
  readonly type: string;
  readonly values: readonly string[];
  /** The same values as they stand in the database. */
  readonly databaseValues: readonly string[];
}

/** A relation to another model, or to the same one. */
export interface RelationField extends FieldBase {
  readonly kind: "relation";
  /** The name of the related model. */
  readonly type: string;
  readonly relation: {
    readonly name: string;
    /** The foreign keys in this model, in order; empty on the side that holds none. */
    readonly fields: readonly string[];
    /** The fields of the related model that they point at. */
    readonly references: readonly string[];
    /** The relation field at the other end. */
    readonly opposite: string | undefined;
    readonly onDelete: string | undefined;
  };
}

/** A column of a type that Prisma cannot read (`Unsupported("…")`): it takes part in nothing. */
export interface UnsupportedField extends FieldBase {
  readonly kind: "unsupported";
  readonly type: string;
}

/** A field that is stored in a column. */
export type StoredField = ScalarField | EnumField;
/** A field of a model. */
export type Field = StoredField | RelationField | UnsupportedField;

/** Fields that together name one row, when none of their values is null. */
export interface UniqueKey {
  /** The key's name in Prisma's `where`: the field's own name, or `a_b` (or the given name) for several. */
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
  /** The database schema, where the Prisma schema names one. */
  readonly schema: string | undefined;
  readonly isView: boolean;
  /** False for a view, and for a table with a required column that Prisma cannot write. */
  readonly isCreatable: boolean;
  /** Required columns without a default that the client cannot write: of an unsupported type, or `@ignore`. */
  readonly unsettable: readonly string[];
  readonly documentation: string | undefined;
  /** In schema order. */
  readonly fields: readonly Field[];
  readonly fieldsByName: ReadonlyMap<string, Field>;
  /** What `:id` means (contract C7), never a hidden field; `undefined` for a view without a key. */
  readonly key: UniqueKey | undefined;
  /** Every unique key: the id first, and those that may be null last, for they do not name every row. */
  readonly uniqueKeys: readonly UniqueKey[];
}

/** All models of a schema by name, in schema order. */
export type Models = ReadonlyMap<string, Model>;
