import { byName, hook, operationRightsSchema, router } from "@servicekit/router/settings";
import { z } from "zod";
import { fileOperations } from "./file-operation.js";

/** The hooks of the file router (contract C45). */
export const fileHookNames = [
  "beforeUploadFile",
  "afterUploadFile",
  "beforeFindFile",
  "afterFindFile",
  "beforeDeleteFile",
  "afterDeleteFile",
] as const;
/** The name of a hook of the file router. */
export type FileHookName = (typeof fileHookNames)[number];

/** The module `file-upload`, as the module loader needs it (contract C44). */
export const fileUploadModule = Object.freeze({
  name: "file-upload",
  hooks: fileHookNames,
  schemas: [],
  /** Its configuration, in a file or in `service.init({ models: { "file-upload": … } })`. */
  schema: z.strictObject({
    auth: operationRightsSchema(fileOperations).optional(),
    hooks: byName(fileHookNames, hook).optional(),
    router: router.optional(),
  }),
});
