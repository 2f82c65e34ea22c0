import { createService } from "./create-service.js";
import { initService } from "./init-service.js";

/** The face of the umbrella (contract C40, C52). */
export const service = Object.freeze({
  /** Puts a service together, listens, and stops on SIGTERM and SIGINT. */
  init: initService,
  /** Puts a service together without listening. */
  create: createService,
});
