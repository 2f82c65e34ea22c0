import type { Model, Models } from "../models/model.js";

/** The context of an error. */
export interface ErrorContext {
  readonly model?: Model | undefined;
  /** All models: a nested write can fail in another model. */
  readonly models?: Models | undefined;
  /** The fields that the write of one row, or of all rows equally, sets. */
  readonly written?: readonly string[] | undefined;
  /** Whether the client sees the messages that triggers and functions of the application raise. @default false */
  readonly exposeRaisedMessages?: boolean | undefined;
  readonly operation: "read" | "create" | "update" | "delete";
}
