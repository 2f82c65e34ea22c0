import type { ComputedSql } from "@servicekit/model-router";
import type { ModelsData, SqlExpression } from "@servicekit/prisma";
import type { z } from "zod";

/** A decimal, as Prisma returns it. */
interface DecimalValue {
  toFixed(places?: number): string;
  toNumber(): number;
  toString(): string;
}

/** The values of scalar types, as Prisma returns them. */
interface ScalarValues {
  readonly String: string;
  readonly Boolean: boolean;
  readonly Int: number;
  readonly BigInt: bigint;
  readonly Float: number;
  readonly Decimal: DecimalValue;
  readonly DateTime: Date;
  readonly Json: unknown;
  readonly Bytes: Uint8Array;
}

type ModelOf<Data extends ModelsData, Name> = Extract<Data["models"][number], { readonly name: Name }>;

type StoredField<Data extends ModelsData, Name> = Extract<
  ModelOf<Data, Name>["fields"][number],
  { readonly kind: "scalar" | "enum" }
>;

/** The names of a model's stored fields. */
type StoredFieldName<Data extends ModelsData, Name> = StoredField<Data, Name>["name"];

type EnumValue<Data extends ModelsData, Type> = Extract<
  Data["enums"][number],
  { readonly name: Type }
>["values"][number]["name"];

type FieldValue<Data extends ModelsData, Field> = Field extends { readonly type: infer Type }
  ? Field extends { readonly kind: "scalar" }
    ? Type extends keyof ScalarValues
      ? ScalarValues[Type]
      : unknown
    : EnumValue<Data, Type>
  : unknown;

type ValueOf<Data extends ModelsData, Field> = Field extends { readonly isList: true }
  ? readonly FieldValue<Data, Field>[]
  : Field extends { readonly isOptional: true }
    ? FieldValue<Data, Field> | null
    : FieldValue<Data, Field>;

/** The stored fields with these names, as the function of a computed field receives them. */
type NeededRow<Data extends ModelsData, Name, Needs> = {
  readonly [Field in Needs & string]: ValueOf<Data, Extract<StoredField<Data, Name>, { readonly name: Field }>>;
};

type NamesIn<List> = List extends readonly (infer Name)[] ? Name : never;

/** The same list; `never` in place of a name that is not one of a stored field. */
type KnownNeeds<Data extends ModelsData, Name, List> = {
  readonly [Index in keyof List]: List[Index] & StoredFieldName<Data, Name>;
};

/** A computed field before its function is typed. */
export interface UntypedComputed {
  readonly type: z.ZodType;
  readonly needs?: readonly string[];
  /** Without a signature, which would be a second one of the same function. */
  readonly compute?: object;
  readonly sql?: object;
}

/** The functions of computed fields, which receive the fields in `needs` and return a value of `type`. */
type Computing<Data extends ModelsData, Name, Needs, Types> = {
  readonly [Field in keyof Needs]: {
    readonly type: z.ZodType;
    readonly needs?: Needs[Field] & KnownNeeds<Data, Name, Needs[Field]>;
    readonly compute?: (
      row: NeededRow<Data, Name, NamesIn<Needs[Field]>>,
    ) => Field extends keyof Types ? Types[Field] : unknown;
    readonly sql?: (context: ComputedSql<NamesIn<Needs[Field]> & string>) => SqlExpression;
  };
};

type Typing<Types> = {
  readonly [Field in keyof Types]: Omit<UntypedComputed, "type"> & { readonly type: z.ZodType<Types[Field]> };
};

/**
 * The computed fields of a model, typed with its schema.
 *
 * @typeParam Needs the `needs` of each field, inferred
 * @typeParam Types the values of each field, inferred from `type`
 */
export type TypedComputed<Data extends ModelsData, Name, Needs, Types> = Computing<Data, Name, Needs, Types> &
  Typing<Types>;

/** {@link TypedComputed} of several models. */
export type TypedComputedModels<Data extends ModelsData, Needs, Types> = {
  readonly [Name in keyof Needs]: {
    readonly computed?: Computing<Data, Name, Needs[Name], Name extends keyof Types ? Types[Name] : unknown>;
  };
} & { readonly [Name in keyof Types]: { readonly computed?: Typing<Types[Name]> } };
