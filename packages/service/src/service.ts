import { explainExceptions, isProgramInspected } from "@servicekit/config-loader/internal";
import { createService } from "./create-service.js";
import { initService } from "./init-service.js";
import { runOwnCommand } from "./run-own-command.js";
import { makeContext } from "./service-context.js";

// Before the modules of the program that are imported after the service.
explainExceptions();

/** `service.create` of a program: an inspecting command that runs the program gets the service, and ends the process. */
const createInProgram: typeof createService = async (init = {}, runtime = {}) => {
  if (isProgramInspected()) await runOwnCommand(init, runtime);
  return createService(init, runtime);
};

/** The API of the umbrella (contract C40, C52). */
export const service = Object.freeze({
  /** Assembles a service, listens, and stops on SIGTERM and SIGINT. */
  init: initService,
  /** Assembles a service without listening. */
  create: createInProgram,
  /** Types the context of handlers: the database client, the logger, the mailer. */
  context: makeContext,
});
