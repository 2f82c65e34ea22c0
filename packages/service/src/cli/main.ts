import { StartError } from "@servicekit/errors";
import { isMigrateCommand, migrateUsage, runMigrateCommand } from "./migrate-command.js";
import { isOpenApiCommand, openapiUsage, runOpenApiCommand } from "./openapi-command.js";

const argv = process.argv.slice(2);
const usage = `${openapiUsage}\n\n${migrateUsage}`;

if (isOpenApiCommand(argv)) end(runOpenApiCommand({ config: {}, surroundings: {}, argv, needsFile: true }));
else if (isMigrateCommand(argv)) end(runMigrateCommand(argv, {}, (line) => console.log(line)));
else if (argv.length === 0 || argv[0] === "--help" || argv[0] === "-h") console.log(usage);
else {
  console.error(`There is no command ${argv[0]}.\n\n${usage}`);
  process.exitCode = 1;
}

/** Says what a command says, and ends with 0, or with 1 after a fault. */
function end(command: Promise<string>): void {
  command.then(
    (said) => {
      console.log(said);
      process.exit(0);
    },
    (error: unknown) => {
      console.error(error instanceof StartError ? error.message : error);
      process.exit(1);
    },
  );
}
