import { StartupError } from "@servicekit/core";
import { nearestWord, withTimeLimit } from "@servicekit/core/internal";
import type { Database } from "@servicekit/prisma";
import { type SearchNeed, vectorLines } from "@servicekit/prisma/internal";

/** What is wrong with the searches of models in a database (contract C103). */
export interface SearchReports {
  /** Unknown languages: each search of these models would fail. */
  readonly errors: readonly { readonly where: string; readonly message: string }[];
  /** Missing columns and indexes: these searches read the whole table. */
  readonly warnings: readonly string[];
}

/** Compares the searches of models with the database; without searches it is not queried. */
export async function findSearchReports(database: Database): Promise<SearchReports> {
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

const patience = 2_000;

/**
 * Stops the start if a search has an unknown language. A database that is not available yet is checked later.
 *
 * @throws {StartupError} that names the language
 */
export async function checkSearches(database: Database | undefined): Promise<void> {
  if (database === undefined) return;
  const late = () => new Error("The database did not respond in time.");
  const reports = await withTimeLimit(findSearchReports(database), patience, late).catch(() => undefined);
  if (reports !== undefined && reports.errors.length > 0) throw new StartupError(reports.errors);
}
