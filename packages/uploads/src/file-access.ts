import { nearestWord, type StartFault } from "@servicekit/errors";
import { type AccessRule, type AuthenticationConfig, toAccessRule } from "@servicekit/router";

/** What the file router does. */
export const fileOperations = ["uploadFile", "findFile", "deleteFile"] as const;
export type FileOperation = (typeof fileOperations)[number];

/**
 * Who may: `false` everyone, `true` whoever is signed in, or the roles that may. `deleteFile: true` is whoever sent the
 * file, and superusers: a file of which that is not known is theirs alone.
 */
export type FileOperationAccess =
  | boolean
  | readonly string[]
  | { readonly rule?: boolean | readonly string[] | AccessRule };

/** Who may do what with files (contract C34); what is not told stays with the default. */
export type FileAccess = Readonly<Partial<Record<FileOperation, FileOperationAccess>>>;

/** The action of each operation on the resource `file-upload` (contract C29). */
export const fileActions = { uploadFile: "Create", findFile: "View", deleteFile: "Delete" } as const;

/** What stands under `authentication` in the declarations of the file router: nothing where no rights are checked. */
export function toAuthentication(
  operation: FileOperation,
  access: FileAccess | undefined,
): AuthenticationConfig | undefined {
  if (access === undefined) return undefined;
  const given = access[operation];
  const told = typeof given === "object" && !isList(given) ? given.rule : given;
  if (typeof told === "boolean") return told;
  if (told === undefined && operation === "findFile") return false;
  const right = { resource: "file-upload", action: fileActions[operation] };
  return told === undefined ? right : { ...right, rule: toAccessRule(told) };
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** What is wrong with an `auth` block of the `file-upload` module. */
export function accessFaults(auth: unknown, where: string): StartFault[] {
  if (auth === undefined) return [];
  if (typeof auth !== "object" || auth === null) return [{ where, message: "auth must be an object." }];
  return Object.entries(auth).flatMap(([key, value]: [string, unknown]) => {
    if (!(fileOperations as readonly string[]).includes(key)) {
      const near = nearestWord(key, fileOperations) ?? fileOperations.join(", ");
      return [{ where: `${where}.${key}`, message: `There is no operation ${key} of files; known: ${near}.` }];
    }
    if (isAccess(value)) return [];
    const message = "must be true, false, a list of roles, or { rule } with one of them or { roles }.";
    return [{ where: `${where}.${key}`, message }];
  });
}

function isAccess(value: unknown): boolean {
  if (value === undefined || typeof value === "boolean" || isRoles(value)) return true;
  if (typeof value !== "object" || value === null || isList(value)) return false;
  const { rule, ...rest } = value as { rule?: unknown };
  if (Object.keys(rest).length > 0) return false;
  return (
    rule === undefined ||
    typeof rule === "boolean" ||
    isRoles(rule) ||
    (typeof rule === "object" && rule !== null && isRoles((rule as { roles?: unknown }).roles))
  );
}

const isRoles = (value: unknown): boolean =>
  isList(value) && value.every((role) => typeof role === "string" && role !== "");
