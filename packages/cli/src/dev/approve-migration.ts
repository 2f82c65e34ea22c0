import { CommandError } from "../command-error.js";
import type { Decision, ProposedMigration } from "../database/bring-to-schema.js";
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
 * Prints a migration and prompts for a decision. The first one of a project, which only creates tables, is applied without
 * a prompt; so is every one that loses no data if there is no terminal, or with --yes. One that fails with the existing
 * rows cannot be applied.
 *
 * @throws {CommandError} for one that loses data or fails if there is no terminal
 */
export async function approveMigration(migration: ProposedMigration, approval: Approval): Promise<Decision> {
  const { name, sql, warnings, impossible, isFirst } = migration;
  const { keyboard, screen, isYes } = approval;
  const losesNothing = warnings.length === 0;
  if (isFirst && losesNothing) return "apply";
  const lines = sql.trim().split("\n");
  const shown = lines.slice(0, maxLines).join("\n") + (lines.length > maxLines ? "\n…" : "");
  if (losesNothing && (isYes || !keyboard.isThere)) return "apply";
  const problems = warnings.map((warning) => `  ! ${warning}`).join("\n");
  if (!keyboard.isThere || isYes) {
    throw new CommandError(`The migration ${name} would delete rows or cannot be applied, so it was not written:
${problems}

${shown}

Write it manually: run npx service migrate new --name <words>, edit the script (rename a column, set a value for existing rows; remove its first line), and
restart service dev, which applies it. Or delete all data of the development database: npx service migrate reset.`);
  }
  screen.write(`\n${shown}\n\n${losesNothing ? "" : `${problems}\n\n`}`);
  if (impossible.length === 0) {
    screen.write(`  Apply the migration ${name}? y yes   e edit the script first   n no\n`);
    return decisions[await keyboard.readKey("yen")] ?? "decline";
  }
  screen.write(
    `  The migration ${name} fails with the existing rows. e edit the script: rename a column or set a value   r reset the database   n no\n`,
  );
  const decision = decisions[await keyboard.readKey("ern")] ?? "decline";
  if (decision !== "reset") return decision;
  screen.write("  This deletes all rows of the database. Continue? y yes   n no\n");
  return (await keyboard.readKey("yn")) === "y" ? "reset" : "decline";
}

const decisions: Readonly<Record<string, Decision>> = { y: "apply", e: "edit", r: "reset" };
