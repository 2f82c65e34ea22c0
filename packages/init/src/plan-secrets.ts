import type { SchemaFile } from "./find-schema.js";
import type { PlannedChange } from "./plan.js";
import { fieldsOf, type SchemaField } from "./schema-text.js";
import { isSecretFieldName } from "./secret-field-name.js";

/** The secrets of a schema that no annotation hides or shows. */
export interface PlannedSecrets {
  /** All files, with the annotations. */
  readonly files: readonly SchemaFile[];
  /** The files that get annotations. */
  readonly changes: readonly PlannedChange[];
  readonly notes: readonly string[];
}

/** Plans an annotation `@hidden` above each field with the name of a secret: the service does not start without one if everyone may read it. */
export function planSecrets(files: readonly SchemaFile[]): PlannedSecrets {
  const hidden: string[] = [];
  const changes: PlannedChange[] = [];
  const annotated = files.map((file) => {
    const secrets = fieldsOf(file.text).filter((field) => isSecret(field) && !field.isAnnotated);
    if (secrets.length === 0) return file;
    hidden.push(...secrets.map(({ model, name }) => `${model}.${name}`));
    const end = file.text.includes("\r\n") ? "\r\n" : "\n";
    const added = secrets.map(({ indentation }) => `${indentation}/// @hidden`);
    const text = secrets.reduceRight(
      (rest, { start, indentation }) => `${rest.slice(0, start)}${indentation}/// @hidden${end}${rest.slice(start)}`,
      file.text,
    );
    changes.push({ place: file.place, added, text });
    return { ...file, text };
  });
  const note = `/// @hidden is added above fields with names of secrets: ${hidden.join(", ")}. Replace it by /// @visible if clients may read the field.`;
  return { files: annotated, changes, notes: hidden.length === 0 ? [] : [note] };
}

/** Names of models with accounts, sessions and keys. */
const accountModel = /user|account|member|session|credential|token|verification|authenticator|password|secret|key$/i;

/** The first model that may be opened in an example: without secrets, accounts and sessions. */
export function findExampleModel(files: readonly SchemaFile[], models: readonly string[]): string {
  const withSecrets = new Set(
    files.flatMap(({ text }) => fieldsOf(text).flatMap((field) => (isSecret(field) ? [field.model] : []))),
  );
  return models.find((name) => !withSecrets.has(name) && !accountModel.test(name)) ?? "ModelName";
}

const isSecret = ({ name, type }: SchemaField): boolean =>
  (type === "String" || type === "Bytes") && isSecretFieldName(name);
