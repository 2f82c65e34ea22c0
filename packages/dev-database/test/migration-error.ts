import { expect } from "vitest";
import { MigrationError } from "../src/index.js";

/** The error of a promise. */
export async function issueOf(work: Promise<unknown>): Promise<MigrationError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(MigrationError);
  return error as MigrationError;
}

/** The header of a schema. */
export const datasource = 'datasource db {\n  provider = "postgresql"\n}\n';
export const user = "model User {\n  id Int @id @default(autoincrement())\n  email String @unique\n}\n";
