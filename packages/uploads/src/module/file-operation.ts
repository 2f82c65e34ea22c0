/** The operations of the file router. */
export const fileOperations = ["uploadFile", "findFile", "deleteFile"] as const;
/** An operation of the file router. */
export type FileOperation = (typeof fileOperations)[number];
