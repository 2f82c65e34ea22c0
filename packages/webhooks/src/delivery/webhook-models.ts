import { StartupError } from "@servicekit/core";
import type { Model, Models } from "@servicekit/prisma";
import {
  type ExpectedField,
  expectedFieldIssues,
  isHidden,
  isScalarOf,
  missingFieldIssues,
  optionalTextOf,
  textOf,
} from "@servicekit/prisma/internal";
import { encryptedLength } from "../secret-cipher.js";
import { deliveryModelName, webhookCreatorField, webhookModelName } from "../settings.js";

/** The models of webhooks that are managed through the API. */
export interface WebhookModels {
  readonly webhook: Model;
  readonly delivery: Model;
}

const hidden = ({ expected, test }: ExpectedField): ExpectedField => ({
  expected: `${expected} with /// @hidden`,
  test: (field) => test(field) && isHidden(field),
});
const optionalDate: ExpectedField = {
  expected: "a DateTime?",
  test: (field) => isScalarOf(field, "DateTime") && !field.isRequired,
};
const date: ExpectedField = {
  expected: "a DateTime",
  test: (field) => isScalarOf(field, "DateTime") && field.isRequired,
};
const integer: ExpectedField = { expected: "an Int", test: (field) => isScalarOf(field, "Int") && field.isRequired };

const { expected, test } = hidden(optionalTextOf(Number.POSITIVE_INFINITY));
const creator: ExpectedField = {
  expected: `${expected} (add it, then run npx service migrate new limit_webhooks)`,
  test,
};

const webhookFields = (secretLength: number): Readonly<Record<string, ExpectedField>> => ({
  id: {
    expected: "a String with @id and a default",
    test: (field) => isScalarOf(field, "String") && field.kind === "scalar" && field.isId && field.hasDefault,
  },
  url: textOf(2048),
  events: {
    expected: "a String[]",
    test: (field) => field.kind === "scalar" && field.type === "String" && field.isList,
  },
  active: { expected: "a Boolean", test: (field) => isScalarOf(field, "Boolean") && field.isRequired },
  currentSecret: hidden(optionalTextOf(secretLength)),
  previousSecret: hidden(optionalTextOf(secretLength)),
  previousSecretEndsAt: hidden(optionalDate),
  failingSince: optionalDate,
  disabledReason: optionalTextOf(200),
  [webhookCreatorField]: creator,
});

const deliveryFields: Readonly<Record<string, ExpectedField>> = {
  id: {
    expected: "a BigInt with @id @default(autoincrement())",
    test: (field) => isScalarOf(field, "BigInt") && field.kind === "scalar" && field.isId && field.hasDefault,
  },
  webhookId: textOf(1),
  event: textOf(30),
  type: textOf(1),
  attempt: integer,
  time: date,
  duration: integer,
  state: textOf(9),
  status: { expected: "an Int?", test: (field) => isScalarOf(field, "Int") && !field.isRequired },
  error: optionalTextOf(1000),
  request: textOf(Number.POSITIVE_INFINITY),
  response: optionalTextOf(1024),
};

/**
 * Finds the models of webhooks and validates them.
 *
 * @param areEncrypted whether the secrets are stored encrypted, so that their columns must be longer
 * @returns `undefined` if the schema has none of them
 * @throws {StartupError} that names each field that is missing, of the wrong type, or visible although it is a secret
 */
export function readWebhookModels(models: Models, areEncrypted = false): WebhookModels | undefined {
  const [webhook, delivery] = [models.get(webhookModelName), models.get(deliveryModelName)];
  if (webhook === undefined && delivery === undefined) return undefined;
  if (webhook === undefined || delivery === undefined) {
    const missing = webhook === undefined ? webhookModelName : deliveryModelName;
    const message = `Webhooks require a model ${missing} too. Run npx service generate webhooks in a schema without both.`;
    throw new StartupError([{ where: `model ${missing}`, message }]);
  }
  const issues = [
    // Clients create its rows, with fields of the application such as a tenant.
    ...missingFieldIssues(webhook, webhookFields(areEncrypted ? encryptedLength : 50), "webhooks"),
    ...expectedFieldIssues(delivery, deliveryFields, "webhooks"),
  ];
  if (issues.length > 0) throw new StartupError(issues);
  return { webhook, delivery };
}
