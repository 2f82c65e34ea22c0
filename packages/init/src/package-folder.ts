import path from "node:path";

/**
 * This package's own folder. Only at the top level of `src` is its relative path the same before and after the build.
 */
export const packageFolder = path.dirname(import.meta.dirname);
