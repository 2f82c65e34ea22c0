import { readConnectionString } from "@servicekit/prisma/internal";

/** The database schema of models without one: the parameter `schema` of a URL of PostgreSQL. */
export const databaseSchema = (url: string): string =>
  new URL(readConnectionString(url).url).searchParams.get("schema") ?? "public";
