import fs from "node:fs";
import path from "node:path";
import { type Answers, answersTo, defaultAnswers, questions } from "./answers.js";
import { checkTarget } from "./check-target.js";
import { CreationError } from "./creation-error.js";
import { projectFiles } from "./project-files.js";

/** What project is made, and where. */
export interface CreateProjectOptions extends Partial<Answers> {
  /** The folder, which is made; its name becomes that of the package. */
  readonly directory: string;
}

/** A project that was written. */
export interface CreatedProject {
  readonly name: string;
  /** The whole path of its folder. */
  readonly directory: string;
  /** The places of its files, below the folder. */
  readonly files: readonly string[];
}

/**
 * Writes a project; nothing is installed.
 *
 * @throws {CreationError} for an answer that a question does not take, a name that no package may have, and a folder that
 * is not empty: then nothing is written
 */
export function createProject({ directory, ...given }: CreateProjectOptions): CreatedProject {
  const answers = { ...defaultAnswers, ...given };
  for (const question of questions) {
    const known = answersTo(question);
    if (known.includes(answers[question])) continue;
    throw new CreationError(`There is no ${question} ${answers[question]}; there is ${known.join(", ")}.`);
  }
  checkTarget(directory);
  const target = path.resolve(directory);
  const name = path.basename(target);
  const files = projectFiles(name, answers);
  for (const { place, text, isSecret = false } of files) {
    const file = path.join(target, place);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text, { flag: "wx", ...(isSecret ? { mode: 0o600 } : {}) });
  }
  return { name, directory: target, files: files.map(({ place }) => place) };
}
