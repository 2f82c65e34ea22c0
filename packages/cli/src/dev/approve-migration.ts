import { CommandError } from "../command-error.js";
import type { ProposedMigration } from "../database/bring-to-schema.js";
import type { Keyboard } from "./keyboard.js";
import type { Screen } from "./screen.js";

/** Who is asked, and whether at all. */
export interface Approval {
  readonly keyboard: Keyboard;
  readonly screen: Screen;
  /** Whether what loses nothing is applied without a question. */
  readonly isYes: boolean;
}

/** The most lines of a script that are shown. */
const mostLines = 60;

/**
 * Shows a migration and asks whether it shall be applied. The first one of a project, which makes tables and nothing else, is
 * applied at once; so is every one that loses nothing where nobody can be asked, or nobody wants to be.
 *
 * @throws {CommandError} for one that loses something, where nobody can be asked
 */
export async function approveMigration(migration: ProposedMigration, approval: Approval): Promise<boolean> {
  const { name, sql, warnings, isFirst } = migration;
  const { keyboard, screen, isYes } = approval;
  const losesNothing = warnings.length === 0;
  if (isFirst && losesNothing) return true;
  const lines = sql.trim().split("\n");
  const shown = lines.slice(0, mostLines).join("\n") + (lines.length > mostLines ? "\n…" : "");
  if (losesNothing && (isYes || !keyboard.isThere)) return true;
  const told = warnings.map((warning) => `  ! ${warning}`).join("\n");
  if (!keyboard.isThere || isYes) {
    throw new CommandError(`The migration ${name} would lose rows, or cannot be applied, so it was not written:
${told}

${shown}

Apply it by hand: service migrate new --name <words>, read the script, then service migrate deploy.`);
  }
  screen.write(`\n${shown}\n\n${losesNothing ? "" : `${told}\n\n`}  Apply the migration ${name}? y yes   n no\n`);
  return (await keyboard.ask("yn")) === "y";
}
