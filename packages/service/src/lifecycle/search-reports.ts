import type { StartupIssue } from "@servicekit/core";
import { nearestWord } from "@servicekit/core/internal";
import type { Database } from "@servicekit/prisma";
import { type SearchNeed, vectorLines } from "@servicekit/prisma/internal";

/** What of the configuration does not fit a database. */
export interface DatabaseReports {
  /** Each use would fail. */
  readonly errors: readonly StartupIssue[];
  /** What works, but reads whole tables. */
  readonly warnings: readonly string[];
}

/**
 * Compares the searches of models with the database (contract C103); without searches it is not queried. Errors are
 * unknown languages; warnings are missing columns and indexes.
 */
export async function findSearchReports(database: Database): Promise<DatabaseReports> {
  if (![...database.models.values()].some(({ search }) => search !== undefined)) return { errors: [], warnings: [] };
  const { unknownLanguages, knownLanguages, needs } = await database.searchIssues();
  return {
    errors: unknownLanguages.map(({ model, language }) => {
      const near = nearestWord(language, knownLanguages);
      const hint = near === undefined ? `Expected one of ${knownLanguages.join(", ")}.` : `Did you mean ${near}?`;
      return {
        where: `models.${model}.search.language`,
        message: `PostgreSQL has no text search configuration ${language}. ${hint}`,
      };
    }),
    warnings: needs.map(({ model, need }) => `The search of ${model} reads the whole table. ${fixes[need](model)}`),
  };
}

const migrate =
  "Run `npx service migrate new --name search`, and apply the migration with `npx service migrate deploy`.";

const fixes: Readonly<Record<SearchNeed, (model: string) => string>> = {
  field: (model) =>
    `Add these lines to the model ${model} in the Prisma schema: ${vectorLines.replace("\n", " and ")}. ${migrate}`,
  column: () => `The database does not have the column of its current definition. ${migrate}`,
  index: () => `Its index is missing. ${migrate}`,
};
