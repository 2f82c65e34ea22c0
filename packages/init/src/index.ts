export { InitError } from "./init-error.js";
export { type InitProjectOptions, initProject } from "./init-project.js";
export type { InitPlan, PlannedChange, PlannedFile } from "./plan.js";
export { isExistingProject, planInit } from "./plan-init.js";
