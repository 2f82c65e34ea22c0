import fs from "node:fs";
import type { Model, StoredField } from "@servicekit/prisma";
import { fault } from "../command-error.js";
import { schemaFiles } from "../generate/generate-client.js";
import type { Project } from "../project/project.js";

/** The models of authentication that can be begun, by the word that begins them. */
export const authModels = { sessions: "AuthSession", keys: "AuthKey" } as const;
export type AuthModelWord = keyof typeof authModels;

export const isAuthModelWord = (word: string): word is AuthModelWord => Object.hasOwn(authModels, word);

/**
 * Writes a model of authentication into the Prisma schema, beside the model `User`, and the relation into that.
 *
 * @returns the file that was changed
 * @throws {CommandError} where the model is there already, or `User` is not what authentication needs
 */
export function writeAuthModel({ schema = "" }: Project, word: AuthModelWord, user: Model): string {
  const name = authModels[word];
  const files = schemaFiles(schema);
  const texts = new Map(files.map((file) => [file, fs.readFileSync(file, "utf8")]));
  if ([...texts.values()].some((text) => modelIn(name).test(text))) {
    throw fault("service generate", `The schema has a model ${name} already.`);
  }
  const found = [...texts].find(([, text]) => modelIn(user.name).test(text));
  const id = user.key?.fields.length === 1 ? user.key.fields[0] : undefined;
  if (found === undefined || id === undefined) {
    throw fault("service generate", `The schema needs a model ${user.name} with an id of one field.`);
  }
  if (user.fieldsByName.has(word)) {
    throw fault("service generate", `${user.name} has a field ${word} already: rename it, or write the model by hand.`);
  }
  const [file, text] = found;
  const relation = `\n  /// @hidden\n  ${word} ${name}[]\n`;
  const withRelation = text.replace(
    modelIn(user.name),
    (model) => `${model.trimEnd().slice(0, -1).trimEnd()}\n${relation}}`,
  );
  fs.writeFileSync(file, `${withRelation.trimEnd()}\n\n${modelTexts[word](user.name, id)}`);
  return file;
}

/** A model of a schema, whole; its closing brace stands alone in a line. */
const modelIn = (name: string): RegExp => new RegExp(`^model[ \\t]+${name}[ \\t]*\\{[\\s\\S]*?^\\}`, "m");

/** How a foreign key is written that points at the id. */
function keyType({ type, nativeType }: StoredField): string {
  if (nativeType === undefined) return type;
  const { name, args } = nativeType;
  return `${type} @db.${name}${args.length === 0 ? "" : `(${args.join(", ")})`}`;
}

const modelTexts: Readonly<Record<AuthModelWord, (user: string, id: StoredField) => string>> = {
  sessions: (user, id) => `/// Where a user is signed in.
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
  /// When it was begun, or last refreshed.
  seenAt       DateTime
  expiresAt    DateTime
  /// May be left out.
  address      String?  @db.VarChar(45)
  /// May be left out.
  userAgent    String?  @db.VarChar(200)

  @@index([userId])
  @@index([expiresAt])
}
`,
  keys: (user, id) => `/// What lets a program in as a user.
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
  /// Of the owner's; empty for all.
  roles         String[]
  /// Of the owner's; empty for all.
  permissions   String[]
  /// From where it is good; empty for everywhere.
  addresses     String[]
  createdAt     DateTime
  expiresAt     DateTime?
  lastUsedAt    DateTime?

  @@index([userId])
}
`,
};
