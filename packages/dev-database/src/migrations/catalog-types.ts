import { ColumnTypeEnum, type SqlResultSet } from "@prisma/driver-adapter-utils";
import pg from "pg";

/** The type `"char"`, one byte, of many columns of the catalog. */
const charOid = 18;
const textOid = 25;
const nameListOid = 1003;
const textListOid = 1009;

/** The columns of a result that were `"char"`: the rows are passed on by adapter-pg unchanged. */
const characterColumns = Symbol("servicekit.characterColumns");

type QueryCallback = (error: Error | null, result: pg.QueryArrayResult | undefined) => void;

/** A client that reports the two catalog types unknown to adapter-pg 7.10 as text and list of text. */
export class CatalogClient extends pg.Client {
  // Its nine overloads are of two kinds: with a callback (used by the pool) or with a promise.
  override query = ((...args: unknown[]): unknown => {
    const query = super.query as (this: pg.Client, ...args: unknown[]) => unknown;
    const callback = args.at(-1);
    if (typeof callback === "function") {
      const announce: QueryCallback = (error, result) => callback(error, result && announceAsText(result));
      return query.call(this, ...args.slice(0, -1), announce);
    }
    const result = query.call(this, ...args);
    return result instanceof Promise ? result.then(announceAsText) : result;
  }) as pg.Client["query"];
}

/** Restores the column type `"char"`, because the engine panics when it gets text instead. */
export function restoreCharacterColumns(result: SqlResultSet): SqlResultSet {
  const columns = (result.rows as { [characterColumns]?: readonly number[] })[characterColumns] ?? [];
  for (const column of columns) result.columnTypes[column] = ColumnTypeEnum.Character;
  return result;
}

function announceAsText(result: pg.QueryArrayResult): pg.QueryArrayResult {
  const columns: number[] = [];
  // Several statements in one query return a list of results, which are not used.
  for (const [index, field] of (result.fields ?? []).entries()) {
    if (field.dataTypeID === nameListOid) field.dataTypeID = textListOid;
    if (field.dataTypeID === charOid) {
      field.dataTypeID = textOid;
      columns.push(index);
    }
  }
  if (columns.length > 0) Object.defineProperty(result.rows, characterColumns, { value: columns });
  return result;
}
