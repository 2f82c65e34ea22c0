/** A decimal of Prisma Client. */
interface DecimalLike {
  /** Writes it without an exponent. */
  toFixed(): string;
}

/** The stored form of a column's value, as in a response: dates, decimals and large integers are texts. */
export type StoredValue<Value> = Value extends Date | bigint | DecimalLike | Uint8Array
  ? Value extends number
    ? Value
    : string
  : Value extends readonly (infer Item)[]
    ? StoredValue<Item>[]
    : Value;

/** The recorded columns of a row; hidden fields are missing. */
export type RowState<Row> = { readonly [Field in keyof Row]: StoredValue<Row[Field]> };

/** A committed change of a row. */
export interface RowEvent {
  /** The id of the change; the same for each attempt. */
  readonly id: string;
  readonly time: Date;
  readonly model: string;
  /** The key of the row, as in the path of the API. */
  readonly key: string;
  readonly actor: string;
  readonly requestId: string | null;
  readonly traceId: string | null;
}

/** A created row. */
export interface CreatedEvent<Row> extends RowEvent {
  readonly operation: "create";
  readonly before: null;
  readonly after: RowState<Row>;
}

/** A changed row. */
export interface UpdatedEvent<Row> extends RowEvent {
  readonly operation: "update";
  readonly before: RowState<Row>;
  readonly after: RowState<Row>;
}

/** A deleted row. */
export interface DeletedEvent<Row> extends RowEvent {
  readonly operation: "delete";
  readonly before: RowState<Row>;
  readonly after: null;
}
