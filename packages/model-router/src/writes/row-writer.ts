import type { Database } from "@servicekit/prisma";
import type { WritableModel, WritableModels } from "../resource/body/writable-model.js";
import type { Where } from "../resource/filter/where.js";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";
import { checkActs } from "./check-relations.js";
import { lockNamed } from "./lock-named.js";
import { type BodyPath, namesRelation, planRow, type TransformWrite } from "./plan-row.js";
import { createRow, updateRow } from "./write-row.js";
import { completeNew, type DeletesRows, type NewValues, type WriteRights, type WriteScope } from "./write-scope.js";

type Select = Readonly<Record<string, unknown>>;

/** A row of a bulk request: its data, and its place in the body. */
export interface WrittenRow {
  readonly body: Row;
  readonly at: BodyPath;
  /** Identifies the updated row. */
  readonly where?: Where;
}

/**
 * Writes rows with their related rows; created once at startup. Every writing operation uses it.
 *
 * @typeParam Requester the source of access rights, such as a request
 */
export interface RowWriter<Requester> {
  /** Whether one of these bodies contains a relation: then its rows are written one by one. */
  nameRelations(resource: Resource, bodies: readonly Row[]): boolean;
  /** The data of rows without relations, as they are sent to the database. */
  toData(resource: Resource, bodies: readonly Row[]): Promise<readonly Row[]>;
  /** The same for new rows, with the values that no body sets. */
  toNewData(requester: Requester, resource: Resource, bodies: readonly Row[]): Promise<readonly Row[]>;
  /** Creates one row, with the actions of its relations, in one transaction. */
  create(requester: Requester, database: Database, resource: Resource, body: Row, select: Select): Promise<Row>;
  /** Updates one row, with the actions of its relations, in one transaction. */
  update(
    requester: Requester,
    database: Database,
    resource: Resource,
    where: Where,
    body: Row,
    select: Select,
  ): Promise<Row>;
  /** Creates, or with a `where` updates, rows with relations in one transaction. */
  writeEach(
    requester: Requester,
    database: Database,
    resource: Resource,
    rows: readonly WrittenRow[],
    select: Select,
  ): Promise<readonly Row[]>;
}

/** The dependencies of writing rows. */
export interface RowWriterSettings<Requester> {
  readonly writables: WritableModels;
  readonly transformWrite: TransformWrite | undefined;
  readonly rightsOf: (requester: Requester) => WriteRights;
  /** The values of new rows that no body sets; `undefined` without any. */
  readonly newValues: NewValues<Requester> | undefined;
  readonly deletions: DeletesRows;
}

/** Creates the writer of a service. */
export function makeRowWriter<Requester>({
  writables,
  transformWrite,
  rightsOf,
  newValues,
  deletions,
}: RowWriterSettings<Requester>): RowWriter<Requester> {
  const source = { writables, transformWrite };
  const scopeOf = (requester: Requester, database: Database): WriteScope => ({
    database,
    writables,
    deletions,
    ...rightsOf(requester),
    completeNew: (model, data) => completeNew(newValues, requester, model, data),
    createRow: (plan, scope, settled) => createRow(plan, scope, {}, settled),
    updateRow,
  });
  const toData = async (resource: Resource, bodies: readonly Row[]): Promise<readonly Row[]> => {
    if (transformWrite === undefined) return bodies;
    return Promise.all(bodies.map((body) => transformWrite(resource.model.name, body, bodies)));
  };
  const toNewData: RowWriter<Requester>["toNewData"] = async (requester, resource, bodies) => {
    const data = await toData(resource, bodies);
    return newValues === undefined ? data : data.map((row) => completeNew(newValues, requester, resource.model, row));
  };
  const firstData = async (resource: Resource, body: Row): Promise<Row> => (await toData(resource, [body]))[0] ?? body;
  const writer: RowWriter<Requester> = {
    nameRelations: (resource, bodies) => bodies.some((body) => namesRelation(body, writableOf(resource, writables))),
    toData,
    toNewData,
    async create(requester, database, resource, body, select) {
      if (!writer.nameRelations(resource, [body])) {
        const [data = body] = await toNewData(requester, resource, [body]);
        return database.of(resource.model).create({ data, select });
      }
      const [row] = await writer.writeEach(requester, database, resource, [{ body, at: [] }], select);
      return row as Row;
    },
    async update(requester, database, resource, where, body, select) {
      if (!writer.nameRelations(resource, [body])) {
        return database.of(resource.model).update({ where, data: await firstData(resource, body), select });
      }
      const [row] = await writer.writeEach(requester, database, resource, [{ body, where, at: [] }], select);
      return row as Row;
    },
    async writeEach(requester, database, resource, rows, select) {
      const writable = writableOf(resource, writables);
      const budget = { max: resource.bulkItems, used: 0 };
      const plans = await Promise.all(
        rows.map(({ body, at, where }) =>
          planRow(body, writable, where === undefined ? "create" : "update", source, budget, at),
        ),
      );
      const rightsOnly = scopeOf(requester, database);
      for (const plan of plans) await checkActs(plan, rightsOnly);
      return database.transaction(async (inside) => {
        const scope = scopeOf(requester, inside);
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
  if (writable === undefined) throw new TypeError(`Unknown model ${model.name}.`);
  return writable;
}
