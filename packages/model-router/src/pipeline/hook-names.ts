import { type Operation, operationNames } from "../operations/operation.js";

/** `beforeCreateOne`, `afterFindMany` … (contract C45). */
export type HookName = `${"before" | "after"}${Capitalize<Operation>}`;

/** The hooks of a model. */
export const modelHookNames = hooksAround(operationNames.map(capitalize)) as readonly HookName[];

/** The hooks of the module `auth`. */
export const authHookNames = hooksAround([
  "Login",
  "Logout",
  "Signup",
  "UpdatePassword",
  "GetMe",
  "UpdateMe",
  "DeleteMe",
]);

/** The hooks of the module `file-upload`. */
export const fileUploadHookNames = hooksAround(["UploadFile", "FindFile", "DeleteFile"]);

/** The name of a model's hook. */
export const hookName = (time: "before" | "after", operation: Operation): HookName =>
  `${time}${capitalize(operation)}` as HookName;

function hooksAround(acts: readonly string[]): readonly string[] {
  return Object.freeze(acts.flatMap((act) => [`before${act}`, `after${act}`]));
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
