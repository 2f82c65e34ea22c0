import { CommandError } from "../command-error.js";
import type { ProposedMigration } from "../database/bring-to-schema.js";
import type { Keyboard } from "./keyboard.js";
import type { Screen } from "./screen.js";

/** How migrations are approved. */
export interface Approval {
  readonly keyboard: Keyboard;
  readonly screen: Screen;
  /** Whether migrations that lose no data are applied without a prompt. */
  readonly isYes: boolean;
}

/** Maximum number of printed lines of a script. */
const maxLines = 60;

/**
 * Prints a migration and asks for approval. The first one of a project, which only creates tables, is applied without a
 * prompt; so is every one that loses no data if there is no terminal, or with --yes.
 *
 * @throws {CommandError} for one that loses data if there is no terminal
 */
export async function approveMigration(migration: ProposedMigration, approval: Approval): Promise<boolean> {
  const { name, sql, warnings, isFirst } = migration;
  const { keyboard, screen, isYes } = approval;
  const losesNothing = warnings.length === 0;
  if (isFirst && losesNothing) return true;
  const lines = sql.trim().split("\n");
  const shown = lines.slice(0, maxLines).join("\n") + (lines.length > maxLines ? "\n…" : "");
  if (losesNothing && (isYes || !keyboard.isThere)) return true;
  const problems = warnings.map((warning) => `  ! ${warning}`).join("\n");
  if (!keyboard.isThere || isYes) {
    throw new CommandError(`The migration ${name} would delete rows or cannot be applied, so it was not written:
${problems}

${shown}

Apply it manually: run service migrate new --name <words>, review the script, then run service migrate deploy.`);
  }
  screen.write(`\n${shown}\n\n${losesNothing ? "" : `${problems}\n\n`}  Apply the migration ${name}? y yes   n no\n`);
  return (await keyboard.readKey("yn")) === "y";
}
