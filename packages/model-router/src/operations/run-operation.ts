import type { Database } from "@servicekit/prisma";
import type { Request, Response } from "express";
import type { Operation } from "../resource/operation.js";
import type { Resource } from "../resource/resource.js";
import type { RowWriter } from "../writes/row-writer.js";
import { createMany } from "./create-many.js";
import { createOne } from "./create-one.js";
import { deleteMany } from "./delete-many.js";
import { deleteOne } from "./delete-one.js";
import { findMany } from "./find-many.js";
import { findOne } from "./find-one.js";
import { updateMany } from "./update-many.js";
import { updateOne } from "./update-one.js";

/** What every operation works with. */
export interface OperationContext {
  readonly database: Database;
  /** The same outside of a transaction, for what is looked up when a write in it has failed. */
  readonly outside: Database;
  readonly resource: Resource;
  readonly writer: RowWriter<Request>;
  /** How many bytes the rows of one response may have. */
  readonly maxBytes: number;
  /** Whether nobody but the sender looks at what is read or written, so that it need not be rows. */
  readonly isSentAsRead: boolean;
}

/** Step 6: the database operation. It leaves its result in `response.locals`, its status and headers on the response. */
export type RunOperation = (context: OperationContext, request: Request, response: Response) => Promise<void>;

/** The eight operations by name. */
export const runOperation: Readonly<Record<Operation, RunOperation>> = {
  findMany,
  findOne,
  createOne,
  createMany,
  updateOne,
  updateMany,
  deleteOne,
  deleteMany,
};
