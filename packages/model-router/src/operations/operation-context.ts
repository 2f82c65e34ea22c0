import type { Database } from "@servicekit/prisma";
import type { Request, Response } from "express";
import type { Deletions } from "../deletions/deletions.js";
import type { Resource } from "../resource/resource.js";
import type { RowWriter } from "../writes/row-writer.js";

/** The context of every operation. */
export interface OperationContext {
  readonly database: Database;
  /**
   * The same outside a transaction, for lookups after a write in it has failed; `undefined` if the transaction is that
   * of another step, which does not end with the write.
   */
  readonly outside: Database | undefined;
  readonly resource: Resource;
  readonly writer: RowWriter<Request>;
  readonly deletions: Deletions;
  /** Maximum size in bytes of the rows of one response. */
  readonly maxBytes: number;
  /** Whether only the sender uses the result, so that it need not be rows. */
  readonly isSentAsRead: boolean;
}

/**
 * The database operation. It sets its result in `response.locals`, and the status and headers of the response.
 */
export type RunOperation = (context: OperationContext, request: Request, response: Response) => Promise<void>;
