// What only other packages of this repository use. Unstable: it changes without a major version.
export { checkDocumented } from "./document/check-documented.js";
