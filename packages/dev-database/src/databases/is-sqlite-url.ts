/** Whether a URL is that of an SQLite file, such as `file:./dev.db`. */
export const isSqliteUrl = (url: string): boolean => url.startsWith("file:");

/** The path of the file; relative to the working directory. */
export const sqliteFile = (url: string): string => decodeURI(url.slice("file:".length).replace(/^\/\/(?=\/)/, ""));
