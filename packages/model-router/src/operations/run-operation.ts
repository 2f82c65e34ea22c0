import type { Operation } from "../resource/config/operation.js";
import { createMany } from "./create-many.js";
import { createOne } from "./create-one.js";
import { deleteMany } from "./delete-many.js";
import { deleteOne } from "./delete-one.js";
import { findMany } from "./find-many.js";
import { findOne } from "./find-one.js";
import type { RunOperation } from "./operation-context.js";
import { restoreOne } from "./restore-one.js";
import { updateMany } from "./update-many.js";
import { updateOne } from "./update-one.js";

/** The operations by name. */
export const runOperation: Readonly<Record<Operation, RunOperation>> = {
  findMany,
  findOne,
  createOne,
  createMany,
  updateOne,
  updateMany,
  deleteOne,
  deleteMany,
  restoreOne,
};
