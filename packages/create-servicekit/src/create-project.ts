import fs from "node:fs";
import path from "node:path";
import { type Answers, answersTo, defaultAnswers, type PackageManager, questions } from "./answers.js";
import { checkTarget } from "./check-target.js";
import { CreationError } from "./creation-error.js";
import { projectFiles } from "./project-files.js";

/** The options and the location of a project. */
export interface CreateProjectOptions extends Partial<Answers> {
  /** The folder, which is created; its name becomes the package name. */
  readonly directory: string;
  /** Installs the packages in the Dockerfile and the CI workflow; default: `npm`. */
  readonly packageManager?: PackageManager;
}

/** A project that was written. */
export interface CreatedProject {
  readonly name: string;
  /** The full path of its folder. */
  readonly directory: string;
  /** The paths of its files, relative to the folder. */
  readonly files: readonly string[];
}

/**
 * Writes a project; installs nothing.
 *
 * @throws {CreationError} for an unknown option, an invalid package name, and a folder that is not empty; then nothing
 * is written
 */
export function createProject({ directory, packageManager = "npm", ...given }: CreateProjectOptions): CreatedProject {
  const answers = { ...defaultAnswers, ...given };
  for (const question of questions) {
    const known = answersTo(question);
    if (known.includes(answers[question])) continue;
    throw new CreationError(`Unknown ${question} ${answers[question]}; expected one of ${known.join(", ")}.`);
  }
  checkTarget(directory);
  const target = path.resolve(directory);
  const name = path.basename(target);
  const files = projectFiles(name, answers, packageManager);
  for (const { place, text, isSecret = false } of files) {
    const file = path.join(target, place);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text, { flag: "wx", ...(isSecret ? { mode: 0o600 } : {}) });
  }
  return { name, directory: target, files: files.map(({ place }) => place) };
}
