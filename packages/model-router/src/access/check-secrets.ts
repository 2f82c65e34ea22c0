import type { IssueList } from "@servicekit/core/internal";
import type { Field, Model, Models } from "@servicekit/prisma";
import { isHidden, isSecretFieldName } from "@servicekit/prisma/internal";
import { isOffered } from "../resource/config/is-offered.js";
import { type Operation, operationNames } from "../resource/config/operation.js";
import type { ModelRouterSettings } from "../settings.js";
import { operationAccess } from "./operation-access.js";

/**
 * Adds the fields that anonymous clients may read although their names are those of secrets (contract C144). Each operation
 * counts, because the responses of writes contain the row, and their filters compare its values. The reads of related rows,
 * exports, histories, aggregates and events need one of these operations.
 *
 * @param models with the fields that the configuration hides
 * @param isGuarded whether operations require the access of the configuration; otherwise they are open to everyone
 */
export function checkSecrets(
  models: Models,
  { models: configs, strict }: ModelRouterSettings,
  isGuarded: boolean,
  issues: IssueList,
): void {
  if (strict === true) return;
  for (const model of models.values()) {
    const { auth } = configs[model.name] ?? {};
    const isForEveryone = ({ name }: Field): boolean =>
      auth?.fields?.["*"]?.includes(name) ?? auth?.fields === undefined;
    const isForAnonymous = ({ resource }: Model, operation: Operation): boolean =>
      !isGuarded || operationAccess(operation, resource, auth) === false;
    const secrets = model.fields.filter((field) => isSecret(field) && isForEveryone(field));
    if (secrets.length === 0) continue;
    const open = operationNames.filter(
      (operation) => isOffered(model, operation, configs[model.name]) && isForAnonymous(model, operation),
    );
    if (open.length === 0) continue;
    const access = isGuarded ? `Anonymous clients have access by ${open.join(", ")}` : "Everyone has access";
    for (const { name } of secrets)
      issues.add(
        `field ${model.name}.${name}`,
        `${access}, and the name is that of a secret. Annotate the field with /// @hidden, or with /// @visible if clients may read it.`,
      );
  }
}

/** Whether a field contains texts or bytes that look like a secret and are visible to clients. */
const isSecret = (field: Field): boolean =>
  field.kind === "scalar" &&
  (field.type === "String" || field.type === "Bytes") &&
  !field.annotations.visible &&
  !isHidden(field) &&
  isSecretFieldName(field.name);
