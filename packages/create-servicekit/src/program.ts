import { Command, Option } from "commander";
import { answersTo, choices, defaultAnswers, type Question, questions } from "./answers.js";
import { defaultDirectory } from "./ask.js";

/** The command line of `create-servicekit`. docs/reference/cli.md is generated from it. */
export function makeProgram(): Command {
  const program = new Command("create-servicekit")
    .description("Creates a servicekit project: a REST API on Express and Prisma with routes for every model.")
    .argument("[directory]", `folder of the project and name of its package; default: ${defaultDirectory}`)
    .option("-y, --yes", "use the defaults without a prompt; in an existing project write without confirmation")
    .option("--install", "install the packages")
    .option("--no-install", "skip the installation")
    .exitOverride()
    .showSuggestionAfterError()
    .addHelpText(
      "after",
      `
Without a terminal the command does not prompt.

With . in a folder with a package.json and a Prisma schema it adds a service to that project, as service init does: it lists every file,
line and package, and prompts for confirmation; without a terminal --yes is required.

Exit codes:
  0  success
  1  the project was not created or changed, or the packages were not installed

Examples:
  npm create servicekit@latest my-api
  npm create servicekit@latest my-shop -- --schema shop --authentication dynamic --validation class-validator
  npm create servicekit@latest my-api -- --yes --no-install
  npm create servicekit@latest .`,
    );
  for (const question of questions) program.addOption(optionOf(question));
  return program;
}

function optionOf(question: Question): Option {
  const values = Object.entries(choices[question]).map(([value, words]) => `${value} (${words})`);
  return new Option(`--${question} <word>`, `${values.join(", ")}; default: ${defaultAnswers[question]}`).choices([
    ...answersTo(question),
  ]);
}
