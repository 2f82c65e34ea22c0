// What only other packages of this repository use. Unstable: it changes without a major version.
export { makeAuthActions } from "./auth-actions.js";
export { makeAvailableResources } from "./available-resources.js";
