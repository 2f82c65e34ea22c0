import { createService } from "./create-service.js";
import { initService } from "./init-service.js";
import { makeContext } from "./service-context.js";

/** The API of the umbrella (contract C40, C52). */
export const service = Object.freeze({
  /** Assembles a service, listens, and stops on SIGTERM and SIGINT. */
  init: initService,
  /** Assembles a service without listening. */
  create: createService,
  /** Types the context of handlers: the database client, the logger, the mailer. */
  context: makeContext,
});
