// Used only by other packages of this repository. Unstable: it changes without a major version.
export { makeAuthActions } from "./auth-actions.js";
export { makeAvailableResources } from "./available-resources.js";
