import { cancel, confirm, intro, isCancel, select, text } from "@clack/prompts";
import { type Answers, choices, defaultAnswers, type Question, questions } from "./answers.js";
import { folderFault, nameFault } from "./check-target.js";
import { CreationError } from "./creation-error.js";

/** What is known of a project before anybody is asked. */
export interface Given extends Partial<Answers> {
  readonly directory?: string | undefined;
  readonly install?: boolean | undefined;
}

/** All that is needed to make one. */
export interface Wanted extends Answers {
  readonly directory: string;
  readonly install: boolean;
}

/** The project that nobody is asked about. */
export const defaultDirectory = "my-api";

/**
 * Asks at the terminal for what is not given.
 *
 * @throws {CreationError} when somebody leaves
 */
export async function ask(given: Given): Promise<Wanted> {
  intro("A new servicekit project");
  const directory = given.directory ?? (await askDirectory());
  const answers: Partial<Record<Question, string>> = {};
  for (const question of questions) answers[question] = given[question] ?? (await askChoice(question));
  const install = given.install ?? answered(await confirm({ message: "Install the packages now?" }));
  return { ...(answers as unknown as Answers), directory, install };
}

async function askDirectory(): Promise<string> {
  const fault = (directory = defaultDirectory): string | undefined => nameFault(directory) ?? folderFault(directory);
  const options = { message: "What is it called?", placeholder: defaultDirectory, defaultValue: defaultDirectory };
  return answered(await text({ ...options, validate: (value) => fault(value || undefined) }));
}

const words: Readonly<Record<Question, string>> = {
  schema: "What does it begin with?",
  validation: "How are bodies and queries described?",
  authentication: "Who may do what?",
};

async function askChoice(question: Question): Promise<string> {
  const options = Object.entries(choices[question]).map(([value, hint]) => ({ value, label: value, hint }));
  return answered(await select({ message: words[question], options, initialValue: defaultAnswers[question] }));
}

function answered<Value>(value: Value): Exclude<Value, symbol> {
  if (!isCancel(value)) return value as Exclude<Value, symbol>;
  cancel("Nothing was written.");
  throw new CreationError("");
}
