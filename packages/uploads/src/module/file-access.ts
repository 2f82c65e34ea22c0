import { type AuthenticationConfig } from "@servicekit/router";
import { type OperationRight, type OperationRights, toAuthentication } from "@servicekit/router/internal";
import type { FileOperation } from "./file-operation.js";

/**
 * Who may: `false` everyone, `true` whoever is signed in, or the roles that may. `deleteFile: true` is whoever sent the
 * file, and superusers: a file of which that is not known is theirs alone.
 */
export type FileOperationAccess = OperationRight;

/** Who may do what with files (contract C34); what is not told stays with the default. */
export type FileAccess = OperationRights<FileOperation>;

/** The action of each operation on the resource `file-upload` (contract C29). */
export const fileActions = { uploadFile: "Create", findFile: "View", deleteFile: "Delete" } as const;

/** What stands under `authentication` in the declarations of the file router: nothing where no rights are checked. */
export function fileAuthentication(
  operation: FileOperation,
  access: FileAccess | undefined,
): AuthenticationConfig | undefined {
  if (access === undefined) return undefined;
  const right = { resource: "file-upload", action: fileActions[operation] };
  return toAuthentication(access[operation], right, operation === "findFile" ? false : right);
}
