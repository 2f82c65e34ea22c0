import { tmpdir } from "node:os";
import { StartupError, type StartupIssue } from "@servicekit/core";
import { isInstalled, missingPackages, type OptionalPackages } from "@servicekit/core/internal";
import type { RouteStep, ServiceRouter } from "@servicekit/router";
import { defaultJsonValues } from "@servicekit/router/internal";
import { imagePackages } from "./images/change-image.js";
import { makeConversionQueue } from "./images/conversion-queue.js";
import type { FileAccess } from "./module/file-access.js";
import type { ReportIssue } from "./receiving/upload-session.js";
import { type FileUploadModule, readFileModule } from "./routes/file-module.js";
import { makeFileRouter } from "./routes/file-router.js";
import type { UploadSettings } from "./settings.js";
import { makeStorage } from "./storage/make-storage.js";
import { s3Packages } from "./storage/s3.js";
import { type AroundStorage, watchStorage } from "./storage/watch-storage.js";
import { makeUploadStep } from "./upload-step.js";

/** The options of uploads. */
export interface UploadsOptions {
  readonly settings: UploadSettings;
  /**
   * Set if authentication is on: then POST and DELETE require a superuser and GET is public, unless this or the module
   * sets otherwise (contract C34). Without it everything is open.
   */
  readonly access?: FileAccess | undefined;
  /** The module `file-upload`. */
  readonly module?: FileUploadModule | undefined;
  /** Receives errors that no response contains. */
  readonly log?: ReportIssue | undefined;
  /** Maximum number of values in the JSON texts of a form. @default 10000 */
  readonly maxJsonValues?: number | undefined;
  /** Wraps every storage operation; costs nothing if it is not set. */
  readonly aroundStorage?: AroundStorage | undefined;
}

/** The two parts of uploads in a service. */
export interface Uploads {
  /** The step of `experimental.uploads`; precedes `validation`. */
  readonly step: RouteStep;
  /** Handles downloads, uploads and deletions below `baseRoute`; mounted at the root. */
  readonly router: ServiceRouter;
}

/**
 * Creates the step and the router of uploads with one storage.
 *
 * @throws {StartupError} for a required package that is not installed, and for issues of the module
 */
export function makeUploads({ settings, access, module, log, maxJsonValues, aroundStorage }: UploadsOptions): Uploads {
  checkPackages(settings);
  const report = log ?? (() => undefined);
  const storage = makeStorage(settings);
  const context = {
    settings,
    storage: aroundStorage === undefined ? storage : watchStorage(storage, aroundStorage),
    conversions: makeConversionQueue(),
    // Files for a remote storage wait in a folder that every process may write.
    spool: settings.storage.type === "disk" ? settings.baseUploadDir : tmpdir(),
    report,
  };
  const read = readFileModule(module, report);
  const rights = access === undefined ? undefined : { ...access, ...read.access };
  return Object.freeze({
    step: makeUploadStep({ ...context, maxJsonValues: maxJsonValues ?? defaultJsonValues }),
    router: makeFileRouter({ ...context, access: rights, module: read }),
  });
}

function checkPackages({ storage, image, imageQuery }: UploadSettings): void {
  const issues: StartupIssue[] = [];
  const need = (where: string, packages: OptionalPackages): void => {
    const names = packages.names.filter((name) => !isInstalled(name, import.meta.url));
    if (names.length > 0) issues.push({ where, message: missingPackages({ ...packages, names }) });
  };
  if (storage.type === "s3") need("fileUpload.storage", s3Packages);
  if (image !== undefined) need("fileUpload.image", imagePackages);
  if (imageQuery !== undefined) need("fileUpload.imageQuery", imagePackages);
  if (issues.length > 0) throw new StartupError(issues);
}
