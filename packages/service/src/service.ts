import { createService } from "./create-service.js";
import { initService } from "./init-service.js";
import { makeContext } from "./service-context.js";

/** The face of the umbrella (contract C40, C52). */
export const service = Object.freeze({
  /** Puts a service together, listens, and stops on SIGTERM and SIGINT. */
  init: initService,
  /** Puts a service together without listening. */
  create: createService,
  /** Types what handlers work with besides their request: the database client, the logger, the mailer. */
  context: makeContext,
});
