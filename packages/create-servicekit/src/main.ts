import path from "node:path";
import { styleText } from "node:util";
import { confirm, isCancel } from "@clack/prompts";
import { InitError, initProject, isExistingProject } from "@servicekit/init";
import { packageManager, runManager } from "@servicekit/init/internal";
import { CommanderError } from "commander";
import { defaultAnswers, managerOfFiles, questions } from "./answers.js";
import { ask, defaultDirectory, type Given, type Wanted } from "./ask.js";
import { createProject } from "./create-project.js";
import { CreationError } from "./creation-error.js";
import { makeProgram } from "./program.js";

const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
const bold = (text: string): string => (process.stdout.isTTY === true ? styleText("bold", text) : text);

const program = makeProgram();

process.exitCode = await run();

async function run(): Promise<number> {
  try {
    program.parse();
    const [directory] = program.args;
    const { yes, ...flags } = program.opts<Given & { yes?: boolean }>();
    // Commander sets true if only the negative flag exists; the user did not choose then.
    const isSpecified = program.getOptionValueSource("install") === "cli";
    const given: Given = { ...flags, directory, install: isSpecified ? flags.install : undefined };
    if (directory !== undefined && path.resolve(directory) === process.cwd() && isExistingProject(directory)) {
      const question = questions.find((one) => flags[one] !== undefined);
      if (question !== undefined)
        throw new CreationError(`--${question} is an option of a new project, and ${directory} has a Prisma schema.`);
      return await add({ directory, yes: yes === true, install: given.install ?? true });
    }
    return await make(yes === true || !isTerminal ? withDefaults(given) : await ask(given));
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    if (!(error instanceof CreationError) && !(error instanceof InitError)) throw error;
    if (error.message !== "") console.error(error.message);
    return 1;
  }
}

/** Adds servicekit to the project of a folder and returns the exit code. */
async function add({
  directory,
  yes,
  install,
}: {
  directory: string;
  yes: boolean;
  install: boolean;
}): Promise<number> {
  const prompt = async (message: string): Promise<boolean> => {
    const answer = await confirm({ message });
    return !isCancel(answer) && answer;
  };
  return initProject({ directory, yes, install, confirm: isTerminal ? prompt : undefined, print: console.log });
}

function withDefaults({ directory = defaultDirectory, install: isInstalled = true, ...given }: Given): Wanted {
  return { ...defaultAnswers, ...given, directory, install: isInstalled };
}

/** Creates the project and returns the exit code. */
async function make({ install: isInstalled, ...wanted }: Wanted): Promise<number> {
  const started = Date.now();
  const manager = packageManager();
  const { directory, files, name } = createProject({ ...wanted, packageManager: managerOfFiles(manager) });
  console.log(`\n${bold(name)}: ${files.length} files in ${directory}`);
  if (isInstalled) console.log(`Installing with ${manager} …`);
  const hasInstalled = isInstalled && (await runManager(manager, ["install"], directory));
  if (isInstalled && !hasInstalled)
    console.error(
      `\n${manager} install failed; its output is above. The files are written. Run the install again in the folder.`,
    );
  if (hasInstalled) console.log(`Installed in ${((Date.now() - started) / 1000).toFixed(0)} s.`);
  const steps = [
    `cd ${path.relative(process.cwd(), directory) || "."}`,
    ...(hasInstalled ? [] : [`${manager} install`]),
    `${manager} run dev`,
  ];
  console.log(`\nNow:\n\n${steps.map((step) => `  ${step}`).join("\n")}\n`);
  return isInstalled && !hasInstalled ? 1 : 0;
}
