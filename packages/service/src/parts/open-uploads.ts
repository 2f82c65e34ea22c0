import type { Auth } from "@servicekit/auth";
import { type AroundStorage, type FileUploadModule, makeUploads, type Uploads } from "@servicekit/uploads";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";

/** The dependencies of uploads besides the settings. */
export interface UploadsContext {
  readonly auth: Auth | undefined;
  /** The module `file-upload`. */
  readonly module: FileUploadModule | undefined;
  readonly logger: Logger;
  /** The URL of the service. */
  readonly url: () => string;
  readonly aroundStorage: AroundStorage | undefined;
}

/** Creates the uploads: the step of declared routes, and the file router. Access is checked if authentication is on. */
export function openUploads(
  { fileUpload, publicUrl, middlewares: { serverJson } }: ServiceSettings,
  { auth, module, logger, url, aroundStorage }: UploadsContext,
): Uploads {
  return makeUploads({
    settings: { ...fileUpload, publicUrl: () => publicUrl ?? url() },
    ...(auth?.router === undefined ? {} : { access: {} }),
    module,
    maxJsonValues: typeof serverJson === "object" ? serverJson.values : undefined,
    aroundStorage,
    log: (error, message) => logger.error({ err: error }, message),
  });
}
