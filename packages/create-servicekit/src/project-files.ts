import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { ownRange, versions } from "@servicekit/init/internal";
import { type Answers, isOnMysql, type PackageManager } from "./answers.js";
import { projectManifest } from "./project-manifest.js";
import { type RenderContext, render } from "./render.js";

/** A file of a new project. */
export interface ProjectFile {
  /** Its path relative to the project folder. */
  readonly place: string;
  readonly text: string;
  /** Whether only its owner may read it. */
  readonly isSecret?: boolean;
}

/** Beside both `src` and `dist`. */
const folder = path.join(import.meta.dirname, "..");
const read = (place: string): string => fs.readFileSync(path.join(folder, "templates", place), "utf8");

/** The model of the example module, tests and route of a project. */
const mainModels = {
  blog: { Model: "Post", model: "post", models: "posts", publicPath: "posts", tables: '"Post", "Tag"' },
  shop: { Model: "Order", model: "order", models: "orders", publicPath: "products", tables: '"Category"' },
  empty: { Model: "Note", model: "note", models: "notes", publicPath: "notes", tables: '"Note"' },
} as const;

/** The files of a project with the given package name. */
export function projectFiles(name: string, answers: Answers, manager: PackageManager): readonly ProjectFile[] {
  const { schema, validation, authentication, database } = answers;
  const names = mainModels[schema];
  const schemas = validation === "zod" ? "schemas" : "dtos";
  const hasAccounts = authentication !== "none";
  const onMysql = isOnMysql(answers);
  const context: RenderContext = {
    words: new Set([
      ...[schema, validation, authentication, database, manager],
      ...(hasAccounts ? ["accounts"] : []),
      ...(onMysql ? ["on-mysql"] : []),
      ...(database === "embedded" || database === "server" ? ["postgresql"] : []),
    ]),
    values: {
      ...names,
      ...(schema === "empty" && hasAccounts ? { publicPath: "health/ready" } : {}),
      name,
      manager,
      pnpm: versions.pnpm,
      yarn: versions["@yarnpkg/cli-dist"],
      title: titleOf(name),
      database: name.replaceAll(/\W/g, "_"),
      collation: database === "mariadb" ? "utf8mb4_nopad_bin" : "utf8mb4_0900_bin",
      validation,
      authentication,
      biome: versions["@biomejs/biome"],
      schemaFile: schemas,
      staff: authentication === "dynamic" ? "staff" : "STAFF",
      secret: randomBytes(48).toString("base64url"),
      password: randomBytes(12).toString("base64url"),
    },
    include: read,
  };
  // SQLite has no column types, and Prisma rejects them.
  const withoutTypes = (text: string): string =>
    database === "sqlite" ? text.replaceAll(/ +@db\.\w+(\([^)]*\))?/g, "") : text;
  const file = (place: string, template: string): ProjectFile => ({
    place,
    text: `${withoutTypes(render(read(template), context)).trim()}\n`,
  });
  const module = `src/modules/${names.model}/${names.model}`;
  return [
    { place: "package.json", text: `${JSON.stringify(projectManifest(name, ownRange(), answers), null, 2)}\n` },
    file("tsconfig.json", "all/tsconfig.json"),
    file("biome.json", "all/biome.json"),
    file("service.config.ts", "all/service.config.ts"),
    file("prisma/schema.prisma", `${schema}/schema.prisma`),
    ...(onMysql
      ? [
          file("compose.yaml", "all/compose.yaml"),
          file("prisma/migrations/migration_lock.toml", "all/migration_lock.toml"),
          file(`prisma/migrations/${timestamp()}_init/migration.sql`, `${schema}/migration.sql`),
        ]
      : []),
    file("src/main.ts", "all/main.ts"),
    file("src/app.ts", "all/app.ts"),
    file("src/context.ts", "all/context.ts"),
    file("src/seed.ts", "all/seed.ts"),
    file("src/routes/summary.ts", "all/summary.ts"),
    file(`${module}.model.ts`, `${schema}/model.ts`),
    ...(schema === "blog" ? [file("src/modules/comment/comment.model.ts", "blog/comment-model.ts")] : []),
    file(`${module}.middlewares.ts`, `${schema}/middlewares.ts`),
    file(`${module}.${schemas}.ts`, `${schema}/${schemas}.ts`),
    file("test/api.test.ts", "all/api-test.ts"),
    { ...file(".env", "all/env"), isSecret: true },
    file(".gitignore", "all/gitignore"),
    { place: ".nvmrc", text: "24\n" },
    file("Dockerfile", "all/Dockerfile"),
    file(".dockerignore", "all/dockerignore"),
    file(".github/workflows/ci.yml", "all/ci.yml"),
    ...(manager === "pnpm" && database === "embedded" ? [file("pnpm-workspace.yaml", "all/pnpm-workspace.yaml")] : []),
    ...(manager === "yarn" ? [file(".yarnrc.yml", "all/yarnrc.yml")] : []),
    file("README.md", "all/README.md"),
    file("AGENTS.md", "all/AGENTS.md"),
  ];
}

/** The start of the name of a migration: the time in UTC, such as `20260131120000`. */
const timestamp = (): string => new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14);

/** `my-api` as a title: `My api`. */
function titleOf(name: string): string {
  const words = name
    .replace(/^@[^/]*\//, "")
    .replaceAll(/[-_.]+/g, " ")
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
