import { emptyTables } from "../../../../scripts/test/empty-tables.js";
import type { Draw } from "../../../../scripts/test/random-draw.js";
import type { PrismaClient } from "../generated/trash/client/client.js";

type Row = Readonly<Record<string, unknown>>;

/** The tables, parents first, with the column of the deletion. */
export const tables = [
  ["Customer", "deletedAt"],
  ["Order", "deletedAt"],
  ["Product", "deletedAt"],
  ["Item", "removedAt"],
  ["Part", "deletedAt"],
  ["Tag", "deletedAt"],
  ["Folder", "deletedAt"],
  ["Seat", "deletedAt"],
  ["Invoice", undefined],
  ["Event", undefined],
] as const;

/** The ids of the rows of each table: from 1 to this number. */
export const rowCount = 6;

/** The rows of two databases, which differ only in deleted rows. */
export type Rows = ReadonlyMap<string, readonly Row[]>;

/**
 * Draws rows of every table, of which about a third is deleted, in any combination.
 *
 * @param changesDeleted whether the values of deleted rows, their references and their times are others
 */
export function drawRows(random: Draw, changesDeleted: boolean): Rows {
  const ids = Array.from({ length: rowCount }, (_, at) => at + 1);
  const other = (name: string, id: number): string => (changesDeleted ? `other ${name} ${id}` : `${name} ${id}`);
  const rows = new Map<string, Row[]>();
  for (const [table, column] of tables) {
    rows.set(
      table,
      ids.map((id) => {
        const isDeleted = column !== undefined && random.below(3) === 0;
        const reference = 1 + random.below(rowCount);
        const second = 1 + random.below(rowCount);
        // Drawn for both databases, so that their other rows are equal.
        const third = 1 + random.below(rowCount);
        const parent = isDeleted && changesDeleted ? third : reference;
        const name = isDeleted ? other(table.toLowerCase(), id) : `${table.toLowerCase()} ${id}`;
        const time = new Date(Date.UTC(2024, 0, changesDeleted ? 20 + id : id)).toISOString();
        const deleted = column === undefined ? {} : { [column]: isDeleted ? time : null };
        const amount = isDeleted && changesDeleted ? id + 1000 : id * 10;
        return { ...deleted, ...valuesOf(table, { id, name, parent, second, amount }) };
      }),
    );
  }
  return rows;
}

interface Drawn {
  readonly id: number;
  readonly name: string;
  readonly parent: number;
  readonly second: number;
  readonly amount: number;
}

function valuesOf(table: (typeof tables)[number][0], { id, name, parent, second, amount }: Drawn): Row {
  switch (table) {
    case "Customer":
      return { id, name, email: `${name.replaceAll(" ", ".")}@example.com` };
    case "Order":
      return {
        id,
        number: name,
        status: id % 2 === 0 ? "open" : "paid",
        total: amount,
        updatedAt: time,
        customerId: parent,
      };
    case "Product":
      return { id, name };
    case "Item":
      return { id, sku: name, quantity: amount, orderId: parent, productId: second };
    case "Part":
      return { id, name, productId: parent };
    case "Tag":
      // The name is the key.
      return { name: `t${id}` };
    case "Folder":
      return { id, name, parentId: parent < id ? parent : null, homeId: second < id ? second : null };
    case "Seat":
      return { row: Math.ceil(id / 3), place: ((id - 1) % 3) + 1, guest: name };
    case "Invoice":
      return { id, number: name, orderId: id };
    case "Event":
      return { id, text: name, orderId: parent };
  }
}

const time = new Date(Date.UTC(2024, 0, 1)).toISOString();

/** The links of orders and tags: those of deleted rows differ. */
export function drawLinks(random: Draw, rows: Rows, changesDeleted: boolean): readonly (readonly [number, string])[] {
  const isDeleted = (table: string, at: number): boolean => rows.get(table)?.[at - 1]?.deletedAt !== null;
  return Array.from({ length: rowCount }, (_, at) => at + 1).flatMap((order) =>
    Array.from({ length: rowCount }, (_, at) => at + 1).flatMap((tag): (readonly [number, string])[] => {
      const isLinked = random.below(2) === 0;
      const isOpposite = changesDeleted && (isDeleted("Order", order) || isDeleted("Tag", tag));
      return isLinked === isOpposite ? [] : [[order, `t${tag}`]];
    }),
  );
}

/** Writes the rows in place of all others. */
export async function writeRows(
  client: PrismaClient,
  rows: Rows,
  links: readonly (readonly [number, string])[],
): Promise<void> {
  const inserts = [...rows].map(([table, values]) => {
    const json = JSON.stringify(values).replaceAll("'", "''");
    return `INSERT INTO "${table}" SELECT * FROM json_populate_recordset(NULL::"${table}", '${json}')`;
  });
  const pairs = JSON.stringify(links.map(([order, tag]) => ({ A: order, B: tag })));
  await client.$transaction([
    client.$executeRawUnsafe(emptyTables(...tables.map(([table]) => table), "_OrderToTag")),
    ...inserts.map((insert) => client.$executeRawUnsafe(insert)),
    client.$executeRawUnsafe(
      `INSERT INTO "_OrderToTag" SELECT * FROM json_populate_recordset(NULL::"_OrderToTag", '${pairs}')`,
    ),
    ...[...rows.keys()]
      .filter((table) => table !== "Tag" && table !== "Seat")
      .map((table) => client.$executeRawUnsafe(`ALTER SEQUENCE "${table}_id_seq" RESTART WITH 100`)),
  ]);
}

/** The rows that were deleted before a request, as they are now. */
export async function readDeleted(client: PrismaClient, rows: Rows): Promise<string> {
  const found: unknown[] = [];
  for (const [table, column] of tables) {
    if (column === undefined) continue;
    const keys = table === "Tag" ? ["name"] : table === "Seat" ? ["row", "place"] : ["id"];
    const deleted = (rows.get(table) ?? []).filter((row) => row[column] !== null);
    if (deleted.length === 0) continue;
    const names = keys.map((key) => `"${key}"`).join(", ");
    const json = JSON.stringify(deleted).replaceAll("'", "''");
    found.push(
      table,
      await client.$queryRawUnsafe(
        `SELECT to_json(t)::text AS row FROM "${table}" t WHERE (${names}) IN (SELECT ${names} FROM json_populate_recordset(NULL::"${table}", '${json}')) ORDER BY ${names}`,
      ),
    );
  }
  return JSON.stringify(found);
}
