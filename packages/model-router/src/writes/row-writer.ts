import type { Database } from "@servicekit/prisma";
import type { WritableModel, WritableModels } from "../resource/body/writable-model.js";
import type { Where } from "../resource/filter/where.js";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";
import { checkActs } from "./check-relations.js";
import { lockNamed } from "./lock-named.js";
import { type BodyPath, namesRelation, planRow, type TransformWrite } from "./plan-row.js";
import { createRow, updateRow } from "./write-row.js";
import type { WriteRights, WriteScope } from "./write-scope.js";

type Select = Readonly<Record<string, unknown>>;

/** A row of a bulk request: what is to be written, and where in the body it stands. */
export interface WrittenRow {
  readonly body: Row;
  readonly at: BodyPath;
  /** Names the row that is changed. */
  readonly where?: Where;
}

/**
 * Writes rows with what hangs on them; made once at start. Every operation that writes goes through it.
 *
 * @typeParam Asker who asks for the writes, such as a request: rights are asked of it
 */
export interface RowWriter<Asker> {
  /** Whether one of these bodies names a relation: then its rows are written one by one. */
  nameRelations(resource: Resource, bodies: readonly Row[]): boolean;
  /** The data of rows without relations, as they go to the database. */
  toData(resource: Resource, bodies: readonly Row[]): Promise<readonly Row[]>;
  /** Creates one row, and all that its relations ask for, in one transaction. */
  create(asker: Asker, database: Database, resource: Resource, body: Row, select: Select): Promise<Row>;
  /** Changes one row, and all that its relations ask for, in one transaction. */
  update(asker: Asker, database: Database, resource: Resource, where: Where, body: Row, select: Select): Promise<Row>;
  /** Creates, or where they have a `where` changes, rows with relations in one transaction. */
  writeEach(
    asker: Asker,
    database: Database,
    resource: Resource,
    rows: readonly WrittenRow[],
    select: Select,
  ): Promise<readonly Row[]>;
}

/** What rows are written with. */
export interface RowWriterSettings<Asker> {
  readonly writables: WritableModels;
  readonly transformWrite: TransformWrite | undefined;
  readonly rightsOf: (asker: Asker) => WriteRights;
}

/** Makes the writer of a service. */
export function makeRowWriter<Asker>({
  writables,
  transformWrite,
  rightsOf,
}: RowWriterSettings<Asker>): RowWriter<Asker> {
  const source = { writables, transformWrite };
  const scopeOf = (asker: Asker, database: Database): WriteScope => ({
    database,
    writables,
    ...rightsOf(asker),
    createRow: (plan, scope, settled) => createRow(plan, scope, {}, settled),
    updateRow,
  });
  const toData = async (resource: Resource, bodies: readonly Row[]): Promise<readonly Row[]> => {
    if (transformWrite === undefined) return bodies;
    return Promise.all(bodies.map((body) => transformWrite(resource.model.name, body, bodies)));
  };
  const firstData = async (resource: Resource, body: Row): Promise<Row> => (await toData(resource, [body]))[0] ?? body;
  const writer: RowWriter<Asker> = {
    nameRelations: (resource, bodies) => bodies.some((body) => namesRelation(body, writableOf(resource, writables))),
    toData,
    async create(asker, database, resource, body, select) {
      if (!writer.nameRelations(resource, [body])) {
        return database.of(resource.model).create({ data: await firstData(resource, body), select });
      }
      const [row] = await writer.writeEach(asker, database, resource, [{ body, at: [] }], select);
      return row as Row;
    },
    async update(asker, database, resource, where, body, select) {
      if (!writer.nameRelations(resource, [body])) {
        return database.of(resource.model).update({ where, data: await firstData(resource, body), select });
      }
      const [row] = await writer.writeEach(asker, database, resource, [{ body, where, at: [] }], select);
      return row as Row;
    },
    async writeEach(asker, database, resource, rows, select) {
      const writable = writableOf(resource, writables);
      const budget = { most: resource.bulkItems, used: 0 };
      const plans = await Promise.all(
        rows.map(({ body, at, where }) =>
          planRow(body, writable, where === undefined ? "create" : "update", source, budget, at),
        ),
      );
      const rightsOnly = scopeOf(asker, database);
      for (const plan of plans) await checkActs(plan, rightsOnly);
      return database.transaction(async (inside) => {
        const scope = scopeOf(asker, inside);
        await lockNamed(
          plans.map((plan, index) => ({ plan, where: rows[index]?.where })),
          scope,
        );
        const written: Row[] = [];
        for (const [index, plan] of plans.entries()) {
          const where = rows[index]?.where;
          written.push(
            where === undefined ? await createRow(plan, scope, select) : await updateRow(plan, where, scope, select),
          );
        }
        return written;
      });
    },
  };
  return writer;
}

function writableOf({ model }: Resource, writables: WritableModels): WritableModel {
  const writable = writables.get(model.name);
  if (writable === undefined) throw new TypeError(`There is no model ${model.name}.`);
  return writable;
}
