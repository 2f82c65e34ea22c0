/** A database whose capabilities are known, by Prisma's name of its provider. */
export type Provider = "postgresql" | "sqlite" | "mysql";

/** Prisma's names of the providers; `postgres` is another name of `postgresql`. */
const providers: Readonly<Record<string, Provider>> = {
  postgresql: "postgresql",
  postgres: "postgresql",
  sqlite: "sqlite",
  mysql: "mysql",
};

/** The name of the provider in the text of a schema; `undefined` without a `datasource` block. */
export const providerName = (schemaText: string): string | undefined =>
  /^\s*datasource\s+\w+\s*\{[^}]*?^\s*provider\s*=\s*"(\w+)"/ms.exec(schemaText)?.[1];

/**
 * The provider of a `datasource` block.
 *
 * @param name that in the schema, or in the models of the generator, which omit PostgreSQL
 * @returns `undefined` for a database without known capabilities
 */
export function readProvider(name: string | undefined): Provider | undefined {
  if (name === undefined) return "postgresql";
  return Object.hasOwn(providers, name) ? providers[name] : undefined;
}
