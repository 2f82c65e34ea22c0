export { type Choice, type ChosenReads, chooseReads } from "./choose-reads.js";
export { type ChosenWrites, chooseWrites } from "./choose-writes.js";
export { inexactFields } from "./exact-ways.js";
export { makeSqlReads, type SqlSettings } from "./make-sql-reads.js";
export { makeSqlWrites } from "./make-sql-writes.js";
