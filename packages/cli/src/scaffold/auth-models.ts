import fs from "node:fs";
import type { Model, StoredField } from "@servicekit/prisma";
import { commandError } from "../command-error.js";
import { schemaFiles } from "../generate/generate-client.js";
import type { Project } from "../project/project.js";
import { forProvider } from "./for-provider.js";

/** The models of authentication that can be added, by the word on the command line. */
export const authModels = { sessions: "AuthSession", keys: "AuthKey" } as const;
export type AuthModelOperation = keyof typeof authModels;

export const isAuthModelOperation = (word: string): word is AuthModelOperation => Object.hasOwn(authModels, word);

/**
 * Adds a model of authentication to the Prisma schema, next to the model `User`, and the relation to that.
 *
 * @returns the changed file
 * @throws {CommandError} if the model exists, or `User` does not meet the requirements
 */
export function writeAuthModel(project: Project, word: AuthModelOperation, user: Model): string {
  const { schema = "" } = project;
  const name = authModels[word];
  const files = schemaFiles(schema);
  const texts = new Map(files.map((file) => [file, fs.readFileSync(file, "utf8")]));
  if ([...texts.values()].some((text) => modelIn(name).test(text))) {
    throw commandError("service generate", `The schema already has a model ${name}.`);
  }
  const found = [...texts].find(([, text]) => modelIn(user.name).test(text));
  const id = user.key?.fields.length === 1 ? user.key.fields[0] : undefined;
  if (found === undefined || id === undefined) {
    throw commandError("service generate", `The schema requires a model ${user.name} with an id of one field.`);
  }
  if (user.fieldsByName.has(word)) {
    throw commandError(
      "service generate",
      `${user.name} already has a field ${word}. Rename it, or write the model manually.`,
    );
  }
  const [file, text] = found;
  const relation = `\n  /// @hidden\n  ${word} ${name}[]\n`;
  const withRelation = text.replace(
    modelIn(user.name),
    (model) => `${model.trimEnd().slice(0, -1).trimEnd()}\n${relation}}`,
  );
  fs.writeFileSync(file, `${withRelation.trimEnd()}\n\n${forProvider(project, modelTexts[word](user.name, id))}`);
  return file;
}

/** A complete model of a schema; its closing brace is alone in a line. */
export const modelIn = (name: string): RegExp => new RegExp(`^model[ \\t]+${name}[ \\t]*\\{[\\s\\S]*?^\\}`, "m");

/** The type of a foreign key that references the id. */
function keyType({ type, nativeType }: StoredField): string {
  if (nativeType === undefined) return type;
  const { name, args } = nativeType;
  return `${type} @db.${name}${args.length === 0 ? "" : `(${args.join(", ")})`}`;
}

const modelTexts: Readonly<Record<AuthModelOperation, (user: string, id: StoredField) => string>> = {
  sessions: (user, id) => `/// A session of a signed-in user.
model AuthSession {
  id           String   @id @db.Uuid
  userId       ${keyType(id)}
  user         ${user} @relation(fields: [userId], references: [${id.name}], onDelete: Cascade)
  /// @hidden
  refreshHash  String   @db.VarChar(43)
  /// @hidden
  previousHash String?  @db.VarChar(43)
  rotatedAt    DateTime
  createdAt    DateTime
  /// When it was started or last refreshed.
  seenAt       DateTime
  expiresAt    DateTime
  /// Optional field.
  address      String?  @db.VarChar(45)
  /// Optional field.
  userAgent    String?  @db.VarChar(200)

  @@index([userId])
  @@index([expiresAt])
}
`,
  keys: (user, id) => `/// A key with which a program calls the API as a user.
model AuthKey {
  id            String    @id @db.Char(24)
  userId        ${keyType(id)}
  user          ${user} @relation(fields: [userId], references: [${id.name}], onDelete: Cascade)
  name          String    @db.VarChar(80)
  /// @hidden
  hash          String    @db.VarChar(43)
  /// @hidden
  previousHash  String?   @db.VarChar(43)
  previousUntil DateTime?
  /// A subset of the owner's roles; empty for all.
  roles         String[]
  /// A subset of the owner's permissions; empty for all.
  permissions   String[]
  /// The addresses that may use the key; empty for all.
  addresses     String[]
  createdAt     DateTime
  expiresAt     DateTime?
  lastUsedAt    DateTime?

  @@index([userId])
}
`,
};
