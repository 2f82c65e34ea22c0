import { type FieldPath, type Nested, PathError, setAtPath } from "@servicekit/core/internal";
import type { UploadsConfig } from "@servicekit/router";
import { uploadErrors } from "../errors.js";
import { fileError } from "../files/file-error.js";
import { type StoredFile, toFileData } from "../files/uploaded-file.js";
import { findField, type PlannedField, type UploadPlan } from "./upload-plan.js";

/** The value in the body for a file. */
export type Attachment = Exclude<UploadsConfig["attachToBody"], undefined>;

/** The files of each field, in the order of the plan. */
export function filesByField(plan: UploadPlan, files: readonly StoredFile[]): Map<PlannedField, StoredFile[]> {
  const byField = new Map<PlannedField, StoredFile[]>();
  for (const field of plan.fields) {
    const own = files.filter((file) => findField(plan, file.field) === field);
    if (own.length > 0) byField.set(field, own);
  }
  return byField;
}

/**
 * Sets the value for each file at the place in the body that its field name describes, creating parents (specification,
 * "Rules for field names", 3).
 *
 * @throws {HttpError} 400 if a text field is at the same place
 */
export function attachToBody(
  body: Nested,
  byField: ReadonlyMap<PlannedField, readonly StoredFile[]>,
  attachment: Attachment,
): void {
  if (attachment === false) return;
  for (const [{ name, path, isSingle }, files] of byField) {
    const values = files.map((file) => (attachment === "file" ? toFileData(file) : file[attachment]));
    const conflict = (): never => {
      const message = `The field name ${JSON.stringify(name)} is used for both a file and another value.`;
      throw fileError(uploadErrors.InvalidFieldName, { field: name, code: "Conflict", message });
    };
    if (isTaken(body, path)) conflict();
    try {
      setAtPath(body, path, isSingle ? values[0] : values);
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
      conflict();
    }
  }
}

function isTaken(body: Nested, path: FieldPath): boolean {
  let node: unknown = body;
  for (const segment of path) {
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, segment)) return false;
    node = (node as Nested)[segment];
  }
  return node !== undefined;
}
