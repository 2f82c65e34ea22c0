import fs from "node:fs";
import { capabilitiesOf } from "@servicekit/prisma/internal";
import { commandError } from "../command-error.js";
import { schemaFiles } from "../generate/generate-client.js";
import type { Project } from "../project/project.js";
import { modelIn } from "./auth-models.js";
import { knownProvider } from "./for-provider.js";

/** A model that a package of the service writes. */
export interface OwnModel {
  readonly name: string;
  /** The last part of the name of its migration. */
  readonly migration: string;
  readonly text: string;
}

/**
 * Adds a model to the Prisma schema.
 *
 * @returns the changed file
 * @throws {CommandError} if the model exists, the schema has no model, or its database records no changes
 */
export function writeOwnModel(project: Project, { name, text: model }: OwnModel): string {
  const { schema = "" } = project;
  const { changeLog, name: database } = capabilitiesOf(knownProvider(project));
  if (!changeLog)
    throw commandError(
      "service generate",
      `The model ${name} is for recorded changes, which ${database} does not offer. Use PostgreSQL.`,
    );
  const files = schemaFiles(schema).map((file) => [file, fs.readFileSync(file, "utf8")] as const);
  if (files.some(([, text]) => modelIn(name).test(text)))
    throw commandError("service generate", `The schema already has a model ${name}.`);
  const found = files.find(([, text]) => /^model\s/m.test(text));
  if (found === undefined) throw commandError("service generate", "The schema has no model.");
  const [file, text] = found;
  fs.writeFileSync(file, `${text.trimEnd()}\n\n${model}`);
  return file;
}

/** The models by the word of `service generate`. */
export const ownModels = {
  changes: {
    name: "Change",
    migration: "add_changes",
    text: `/// A change of a row, stored in the transaction of the change.
model Change {
  id          BigInt   @id @default(autoincrement())
  time        DateTime @default(now()) @db.Timestamptz(3)
  /// The name of the changed model.
  model       String
  /// The key of the row, as in the path of the API.
  key         String
  /// create, update or delete.
  operation   String
  /// user:<id>, key:<id> of an API key, external:<issuer>:<id>, anonymous or system.
  actor       String
  requestId   String?
  traceId     String?
  /// The row before the change, without hidden fields.
  before      Json?
  /// The row after the change, without hidden fields.
  after       Json?
  /// The transaction that made the change.
  transaction BigInt   @default(dbgenerated("((pg_current_xact_id())::text)::bigint"))

  @@index([model, key, id])
  @@index([model, time])
}
`,
  },
  "change-position": {
    name: "ChangePosition",
    migration: "add_change_position",
    text: `/// How far a consumer of the change log has read.
model ChangePosition {
  name   String @id
  lastId BigInt
}
`,
  },
  webhooks: {
    name: "Webhook",
    migration: "add_webhooks",
    text: `/// Receives signed messages about changes of rows.
model Webhook {
  id                   String            @id @default(uuid())
  /// The URL that receives the messages.
  url                  String            @db.VarChar(2048)
  /// Names of events such as order.created.
  events               String[]
  description          String?
  active               Boolean           @default(true)
  /// @hidden Signs the messages.
  currentSecret        String?
  /// @hidden Signs the messages too, until previousSecretEndsAt.
  previousSecret       String?
  /// @hidden
  previousSecretEndsAt DateTime?         @db.Timestamptz(3)
  /// @readonly Since when all attempts have failed.
  failingSince         DateTime?         @db.Timestamptz(3)
  /// @readonly Why the service has deactivated the webhook.
  disabledReason       String?
  /// @hidden The identity of the caller that has created the webhook.
  createdBy            String?
  createdAt            DateTime          @default(now()) @db.Timestamptz(3)
  updatedAt            DateTime          @updatedAt @db.Timestamptz(3)
  deliveries           WebhookDelivery[]
}

/// An attempt to deliver a message to a webhook.
model WebhookDelivery {
  id        BigInt   @id @default(autoincrement())
  webhookId String
  webhook   Webhook  @relation(fields: [webhookId], references: [id], onDelete: Cascade)
  /// The header webhook-id.
  event     String
  /// The name of the event, such as order.created.
  type      String
  /// 1 for the first attempt.
  attempt   Int
  time      DateTime @db.Timestamptz(3)
  /// Milliseconds.
  duration  Int
  /// delivered, retrying or failed.
  state     String
  /// The status of the response.
  status    Int?
  /// Why there was no response.
  error     String?
  /// The body of the request.
  request   String
  /// The beginning of the body of the response.
  response  String?

  @@index([webhookId, id])
  @@index([webhookId, event])
  @@index([time])
}
`,
  },
} satisfies Readonly<Record<string, OwnModel>>;

/** Whether a word of `service generate` is that of a model. */
export const isOwnModel = (word: string): word is keyof typeof ownModels => Object.hasOwn(ownModels, word);
