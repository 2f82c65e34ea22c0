import { ColumnTypeEnum, type SqlResultSet } from "@prisma/driver-adapter-utils";
import pg from "pg";

/** The type `"char"`, one byte, of which the catalog has many columns. */
const charOid = 18;
const textOid = 25;
const nameListOid = 1003;
const textListOid = 1009;

/** Which columns of a result were `"char"`: the rows are what adapter-pg hands on unchanged. */
const characterColumns = Symbol("servicekit.characterColumns");

type QueryCallback = (error: Error | null, result: pg.QueryArrayResult | undefined) => void;

/** A client that announces the two catalog types unknown to adapter-pg 7.10 as text and list of text. */
export class CatalogClient extends pg.Client {
  // Its nine overloads come down to two cases: a callback at the end (the pool's way) or a promise.
  override query = ((...args: unknown[]): unknown => {
    const query = super.query as (this: pg.Client, ...args: unknown[]) => unknown;
    const callback = args.at(-1);
    if (typeof callback === "function") {
      const announce: QueryCallback = (error, result) => callback(error, result && announceAsText(result));
      return query.call(this, ...args.slice(0, -1), announce);
    }
    const answer = query.call(this, ...args);
    return answer instanceof Promise ? answer.then(announceAsText) : answer;
  }) as pg.Client["query"];
}

/** Gives `"char"` its column type back: the engine's code panics at text in its place. */
export function restoreCharacterColumns(result: SqlResultSet): SqlResultSet {
  const columns = (result.rows as { [characterColumns]?: readonly number[] })[characterColumns] ?? [];
  for (const column of columns) result.columnTypes[column] = ColumnTypeEnum.Character;
  return result;
}

function announceAsText(result: pg.QueryArrayResult): pg.QueryArrayResult {
  const columns: number[] = [];
  // Several statements at once answer with a list of results, which nobody reads.
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
