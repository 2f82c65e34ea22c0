import type { ScalarType } from "../models/model.js";

/** A type of `@db`: `@db.VarChar(20)` is `{ name: "VarChar", args: ["20"] }`. */
interface NativeType {
  readonly name: string;
  readonly args: readonly string[];
}

/** The length of Prisma's `VARCHAR` in MySQL: the longest whose index MySQL 5 stores. */
const textLength = "191";

/** The arguments that MySQL gives the types without any. */
const defaultArgs: Readonly<Record<string, readonly string[]>> = {
  Char: ["1"],
  Decimal: ["10", "0"],
  DateTime: ["0"],
  Timestamp: ["0"],
  Time: ["0"],
};

/** The type of a column of MySQL: a text has a length also if the schema sets no type. */
export function mysqlType(type: ScalarType, given: NativeType | undefined): NativeType | undefined {
  if (given === undefined) return type === "String" ? { name: "VarChar", args: [textLength] } : undefined;
  return given.args.length === 0 ? { ...given, args: defaultArgs[given.name] ?? [] } : given;
}
