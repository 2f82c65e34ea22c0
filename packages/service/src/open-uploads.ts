import type { Auth } from "@servicekit/auth";
import { type FileUploadModule, makeUploads, type Uploads } from "@servicekit/uploads";
import type { Logger } from "pino";
import type { ServiceSettings } from "./settings.js";
import type { Tracing } from "./tracing/open-tracing.js";

/** What uploads are opened with besides the settings. */
export interface UploadsSurroundings {
  readonly auth: Auth | undefined;
  /** The module `file-upload`. */
  readonly module: FileUploadModule | undefined;
  readonly logger: Logger;
  /** Where the service is reached. */
  readonly url: () => string;
  readonly tracing: Tracing | undefined;
}

/** Puts uploads together: the step of declared routes, and the file router. Rights are checked where somebody does. */
export function openUploads(
  { fileUpload, publicUrl }: ServiceSettings,
  { auth, module, logger, url, tracing }: UploadsSurroundings,
): Uploads {
  return makeUploads({
    settings: { ...fileUpload, publicUrl: () => publicUrl ?? url() },
    ...(auth?.router === undefined ? {} : { access: {} }),
    module,
    aroundStorage: tracing?.aroundStorage,
    log: (error, message) => logger.error({ err: error }, message),
  });
}
