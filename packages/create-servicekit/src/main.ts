import path from "node:path";
import { styleText } from "node:util";
import { CommanderError } from "commander";
import { defaultAnswers } from "./answers.js";
import { ask, defaultDirectory, type Given, type Wanted } from "./ask.js";
import { createProject } from "./create-project.js";
import { CreationError } from "./creation-error.js";
import { install, managerOfFiles, packageManager } from "./install.js";
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
    return await make(yes === true || !isTerminal ? withDefaults(given) : await ask(given));
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    if (!(error instanceof CreationError)) throw error;
    if (error.message !== "") console.error(error.message);
    return 1;
  }
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
  const hasInstalled = isInstalled && (await install(manager, directory));
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
