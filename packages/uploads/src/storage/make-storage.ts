import type { UploadSettings } from "../settings.js";
import { makeDiskStorage } from "./disk.js";
import type { FileStorage } from "./file-storage.js";
import { makeS3Storage } from "./s3.js";

/** The storage selected by the settings (contract C36). */
export function makeStorage({ storage, baseUploadDir }: UploadSettings): FileStorage {
  return storage.type === "s3" ? makeS3Storage(storage) : makeDiskStorage(baseUploadDir);
}
