import { StartError } from "@servicekit/errors";
import { isOpenApiCommand, openapiUsage, runOpenApiCommand } from "./openapi-command.js";

const argv = process.argv.slice(2);
if (isOpenApiCommand(argv)) {
  runOpenApiCommand({ config: {}, surroundings: {}, argv, needsFile: true }).then(
    (said) => {
      console.log(said);
      process.exit(0);
    },
    (error: unknown) => {
      console.error(error instanceof StartError ? error.message : error);
      process.exit(1);
    },
  );
} else if (argv.length === 0 || argv[0] === "--help" || argv[0] === "-h") {
  console.log(openapiUsage);
} else {
  console.error(`There is no command ${argv[0]}.\n\n${openapiUsage}`);
  process.exitCode = 1;
}
