import type { RowsResult } from "@servicekit/prisma";
import { sizeOf, writtenTooLarge } from "@servicekit/prisma/internal";
import type { Request } from "express";
import { permittedWrite } from "../access/permitted-write.js";
import { modelQuery } from "../request/request-state.js";
import type { WrittenRow } from "../writes/row-writer.js";
import type { OperationContext } from "./operation-context.js";

/**
 * Writes rows with their relations, all of them or none.
 *
 * @throws {HttpError} 400 if they do not fit into one response: nothing is written
 */
export function writeEach(
  { database, resource, writer, maxBytes }: OperationContext,
  request: Request,
  rows: readonly WrittenRow[],
): Promise<RowsResult> {
  const { select } = modelQuery(request);
  return database.transaction(async (transaction) => {
    const written = await permittedWrite(transaction, resource, request, async (inside) => ({
      rows: await writer.writeEach(request, inside, resource, rows, select),
    }));
    if (sizeOf(written.rows, maxBytes) > maxBytes) throw writtenTooLarge(maxBytes);
    return written;
  });
}
