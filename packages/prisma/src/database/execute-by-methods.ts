import type { Delegate } from "./delegate.js";
import type { Query, RowsResult } from "./executor.js";

/** Runs a write by the method of a delegate with its name; `undefined` for a read. */
export function executeByMethods({ operation, args }: Query, delegate: Delegate): Promise<RowsResult> | undefined {
  switch (operation) {
    case "create":
      return oneRow(delegate.create(args));
    case "createMany":
      return manyRows(delegate.createMany(args));
    case "update":
      return oneRow(delegate.update(args));
    case "updateEach":
      return manyRows(delegate.updateEach(args));
    case "delete":
      return oneRow(delegate.delete(args));
    default:
      return undefined;
  }
}

const oneRow = async (row: ReturnType<Delegate["create"]>): Promise<RowsResult> => ({ rows: [await row] });
const manyRows = async (rows: ReturnType<Delegate["createMany"]>): Promise<RowsResult> => ({ rows: await rows });
