import { cancel, confirm, intro, isCancel, select, text } from "@clack/prompts";
import { type Answers, choices, defaultAnswers, type Question, questions } from "./answers.js";
import { folderIssue, nameIssue } from "./check-target.js";
import { CreationError } from "./creation-error.js";

/** The options given on the command line. */
export interface Given extends Partial<Answers> {
  readonly directory?: string | undefined;
  readonly install?: boolean | undefined;
}

/** All options of a new project. */
export interface Wanted extends Answers {
  readonly directory: string;
  readonly install: boolean;
}

/** The project without prompts. */
export const defaultDirectory = "my-api";

/**
 * Prompts for missing options at the terminal.
 *
 * @throws {CreationError} if the user cancels
 */
export async function ask(given: Given): Promise<Wanted> {
  intro("A new servicekit project");
  const directory = given.directory ?? (await askDirectory());
  const answers: Partial<Record<Question, string>> = {};
  for (const question of questions) answers[question] = given[question] ?? (await askChoice(question));
  const install = given.install ?? orCancelled(await confirm({ message: "Install the packages now?" }));
  return { ...(answers as unknown as Answers), directory, install };
}

async function askDirectory(): Promise<string> {
  const issue = (directory = defaultDirectory): string | undefined => nameIssue(directory) ?? folderIssue(directory);
  const options = { message: "Project name", placeholder: defaultDirectory, defaultValue: defaultDirectory };
  return orCancelled(await text({ ...options, validate: (value) => issue(value || undefined) }));
}

const words: Readonly<Record<Question, string>> = {
  schema: "Schema to start with",
  validation: "Validation of bodies and queries",
  authentication: "Authentication",
  database: "Database",
};

async function askChoice(question: Question): Promise<string> {
  const options = Object.entries(choices[question]).map(([value, hint]) => ({ value, label: value, hint }));
  return orCancelled(await select({ message: words[question], options, initialValue: defaultAnswers[question] }));
}

function orCancelled<Value>(value: Value): Exclude<Value, symbol> {
  if (!isCancel(value)) return value as Exclude<Value, symbol>;
  cancel("Nothing was written.");
  throw new CreationError("");
}
