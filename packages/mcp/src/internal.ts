// Used only by other packages of this repository. Unstable: it changes without a major version.
export { serveStdio } from "./serve-stdio.js";
