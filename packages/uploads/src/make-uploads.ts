import { tmpdir } from "node:os";
import { StartError, type StartFault } from "@servicekit/core";
import { isInstalled, missingPackages, type OptionalPackages } from "@servicekit/core/internal";
import type { RouteStep, ServiceRouter } from "@servicekit/router";
import { imagePackages } from "./images/change-image.js";
import { makeConversionQueue } from "./images/conversion-queue.js";
import type { FileAccess } from "./module/file-access.js";
import type { TellFault } from "./receiving/upload-session.js";
import { type FileUploadModule, readFileModule } from "./routes/file-module.js";
import { makeFileRouter } from "./routes/file-router.js";
import type { UploadSettings } from "./settings.js";
import { makeStorage } from "./storage/make-storage.js";
import { s3Packages } from "./storage/s3.js";
import { type AroundStorage, watchStorage } from "./storage/watch-storage.js";
import { makeUploadStep } from "./upload-step.js";

/** What uploads are made with. */
export interface UploadsOptions {
  readonly settings: UploadSettings;
  /**
   * Given where rights are checked: then POST and DELETE need a superuser and GET is public, until this or the module
   * says otherwise (contract C34). Without it everything is open.
   */
  readonly access?: FileAccess | undefined;
  /** The module `file-upload`. */
  readonly module?: FileUploadModule | undefined;
  /** Is told of faults that no answer can tell. */
  readonly log?: TellFault | undefined;
  /** Put around everything that the storage does; it costs nothing where it is not given. */
  readonly aroundStorage?: AroundStorage | undefined;
}

/** The two faces of uploads in a service. */
export interface Uploads {
  /** Serves `experimental.uploads`; stands before `validation`. */
  readonly step: RouteStep;
  /** Serves, takes and deletes files below `baseRoute`; mounted at the root. */
  readonly router: ServiceRouter;
}

/**
 * Makes the step and the router of uploads over one storage.
 *
 * @throws {StartError} for a package that the settings need and that is not installed, and for faults of the module
 */
export function makeUploads({ settings, access, module, log, aroundStorage }: UploadsOptions): Uploads {
  checkPackages(settings);
  const tell = log ?? (() => undefined);
  const storage = makeStorage(settings);
  const context = {
    settings,
    storage: aroundStorage === undefined ? storage : watchStorage(storage, aroundStorage),
    conversions: makeConversionQueue(),
    // What is stored elsewhere waits where every process may write.
    spool: settings.storage.type === "disk" ? settings.baseUploadDir : tmpdir(),
    tell,
  };
  const read = readFileModule(module, tell);
  const rights = access === undefined ? undefined : { ...access, ...read.access };
  return Object.freeze({
    step: makeUploadStep(context),
    router: makeFileRouter({ ...context, access: rights, module: read }),
  });
}

function checkPackages({ storage, image, imageQuery }: UploadSettings): void {
  const faults: StartFault[] = [];
  const need = (where: string, packages: OptionalPackages): void => {
    const names = packages.names.filter((name) => !isInstalled(name, import.meta.url));
    if (names.length > 0) faults.push({ where, message: missingPackages({ ...packages, names }) });
  };
  if (storage.type === "s3") need("fileUpload.storage", s3Packages);
  if (image !== undefined) need("fileUpload.image", imagePackages);
  if (imageQuery !== undefined) need("fileUpload.imageQuery", imagePackages);
  if (faults.length > 0) throw new StartError(faults);
}
