export { type ChosenReads, chooseReads, type ReadsChoice } from "./choose-reads.js";
export { makeSqlReads, type SqlReadsSettings } from "./make-sql-reads.js";
