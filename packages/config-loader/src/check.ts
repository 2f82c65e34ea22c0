export { checkConfig } from "./check-config.js";
export { describeFound } from "./describe-found.js";
export { findFaults } from "./find-faults.js";
