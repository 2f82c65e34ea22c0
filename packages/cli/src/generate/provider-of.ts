import fs from "node:fs";
import { type Provider, providerName, readProvider } from "@servicekit/prisma/internal";
import type { Project } from "../project/project.js";
import { schemaFiles } from "./generate-client.js";

/** The provider in the schema of a project; `undefined` without a schema, and for an unknown one. */
export function providerOf({ schema }: Project): Provider | undefined {
  if (schema === undefined) return undefined;
  const names = schemaFiles(schema).map((file) => providerName(fs.readFileSync(file, "utf8")));
  return readProvider(names.find((name) => name !== undefined));
}
