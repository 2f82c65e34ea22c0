import type { Auth } from "@servicekit/auth";
import { type AroundStorage, type FileUploadModule, makeUploads, type Uploads } from "@servicekit/uploads";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";

/** What uploads are opened with besides the settings. */
export interface UploadsSurroundings {
  readonly auth: Auth | undefined;
  /** The module `file-upload`. */
  readonly module: FileUploadModule | undefined;
  readonly logger: Logger;
  /** Where the service is reached. */
  readonly url: () => string;
  readonly aroundStorage: AroundStorage | undefined;
}

/** Puts uploads together: the step of declared routes, and the file router. Rights are checked where somebody does. */
export function openUploads(
  { fileUpload, publicUrl }: ServiceSettings,
  { auth, module, logger, url, aroundStorage }: UploadsSurroundings,
): Uploads {
  return makeUploads({
    settings: { ...fileUpload, publicUrl: () => publicUrl ?? url() },
    ...(auth?.router === undefined ? {} : { access: {} }),
    module,
    aroundStorage,
    log: (error, message) => logger.error({ err: error }, message),
  });
}
