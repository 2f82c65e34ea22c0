export { uploadErrors } from "./errors.js";
export { type FileCategory, fileCategories, isFileCategory } from "./files/file-category.js";
export type { FileData, UploadedFile } from "./files/uploaded-file.js";
export { makeUploads, type Uploads, type UploadsOptions } from "./make-uploads.js";
export type { FileAccess, FileOperationAccess } from "./module/file-access.js";
export type { FileOperation } from "./module/file-operation.js";
export { type FileHookName, fileHookNames, fileUploadModule } from "./module/module-kind.js";
export { type FileHooks, type FileUploadModule, readFileModule } from "./routes/file-module.js";
export {
  type FileUploadConfig,
  fileUploadSchema,
  type ImageOptions,
  type RestrictionConfig,
  readUploadSettings,
  type S3StorageConfig,
  type ServerStaticOptions,
  type UploadContext,
  type UploadSettings,
} from "./settings.js";
export type { ByteRange, FileStorage, FoundFile, NewFile } from "./storage/file-storage.js";
export type { AroundStorage, StorageOperation } from "./storage/watch-storage.js";
