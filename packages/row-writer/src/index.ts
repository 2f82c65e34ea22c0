export type { BodyPath, TransformWrite } from "./plan-row.js";
export { makeRowWriter, type RowWriter, type RowWriterSettings, type WrittenRow } from "./row-writer.js";
export type { WriteRights } from "./write-scope.js";
