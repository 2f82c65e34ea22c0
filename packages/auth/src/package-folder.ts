import path from "node:path";

/** This package's own folder. Only here, at the top of `src`, is the way to it the same before and after the build. */
export const packageFolder = path.dirname(import.meta.dirname);
