import { type AuthenticationConfig } from "@servicekit/router";
import { type OperationRight, type OperationRights, toAuthentication } from "@servicekit/router/internal";
import type { FileOperation } from "./file-operation.js";

/**
 * The access: `false` everyone, `true` signed-in users, or roles. `deleteFile: true` is the uploader and superusers; a
 * file of an unknown uploader belongs to superusers.
 */
export type FileOperationAccess = OperationRight;

/** The access to files (contract C34); unset operations have the default. */
export type FileAccess = OperationRights<FileOperation>;

/** The action of each operation on the resource `file-upload` (contract C29). */
export const fileActions = { uploadFile: "Create", findFile: "View", deleteFile: "Delete" } as const;

/** The `authentication` of the file router's declarations: absent if authentication is off. */
export function fileAuthentication(
  operation: FileOperation,
  access: FileAccess | undefined,
): AuthenticationConfig | undefined {
  if (access === undefined) return undefined;
  const right = { resource: "file-upload", action: fileActions[operation] };
  return toAuthentication(access[operation], right, operation === "findFile" ? false : right);
}
