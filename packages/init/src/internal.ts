// Used only by other packages of this repository. Unstable: it changes without a major version.
export { packageManager, runManager } from "./package-manager.js";
export { ownRange, versions } from "./versions.js";
