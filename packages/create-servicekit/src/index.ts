export { type Answers, choices, defaultAnswers, type PackageManager } from "./answers.js";
export { type CreatedProject, type CreateProjectOptions, createProject } from "./create-project.js";
export { CreationError } from "./creation-error.js";
