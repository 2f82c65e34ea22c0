/** What the file router does. */
export const fileOperations = ["uploadFile", "findFile", "deleteFile"] as const;
export type FileOperation = (typeof fileOperations)[number];
