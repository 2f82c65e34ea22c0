export { makeSqliteAdapter, type SqliteAdapter, type SqliteSettings } from "./make-sqlite-adapter.js";
