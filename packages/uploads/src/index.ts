export { uploadErrors } from "./errors.js";
export type { FileAccess, FileOperationAccess } from "./file-access.js";
export { type FileCategory, fileCategories, isFileCategory } from "./file-category.js";
export { type FileHooks, type FileUploadModule, readFileModule } from "./file-module.js";
export type { FileOperation } from "./file-operation.js";
export { makeUploads, type Uploads, type UploadsOptions } from "./make-uploads.js";
export { type FileHookName, fileHookNames, fileUploadModule } from "./module-kind.js";
export {
  type FileUploadConfig,
  fileUploadSchema,
  type ImageOptions,
  type RestrictionConfig,
  readUploadSettings,
  type S3StorageConfig,
  type ServerStaticOptions,
  type UploadSettings,
  type UploadSurroundings,
} from "./settings.js";
export type { ByteRange, FileStorage, FoundFile, NewFile } from "./storage/file-storage.js";
export type { AroundStorage, StorageAct } from "./storage/watch-storage.js";
export type { FileData, UploadedFile } from "./uploaded-file.js";
