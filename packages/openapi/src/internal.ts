// Used only by other packages of this repository. Unstable: it changes without a major version.
export { checkDocumented } from "./document/check-documented.js";
export { readPackageInfo } from "./document/package-info.js";
