import type { InitPlan } from "./plan.js";

/** A plan as text for the terminal: every file, line and package. */
export function formatPlan({ files, changes, packages, notes }: InitPlan): string {
  const sections = [
    ...files.map(({ place, text }) => [`Add ${place} (${text.trimEnd().split("\n").length} lines)`]),
    ...changes.map(({ place, added }) => [`Change ${place}`, ...added.map((line) => `  + ${line}`.trimEnd())]),
    ...list("Install", packages.dependencies),
    ...list("Install for development", packages.devDependencies),
    ...notes.map((note) => [`Note: ${note}`]),
  ];
  return sections.map((lines) => lines.join("\n")).join("\n\n");
}

const list = (heading: string, names: readonly string[]): string[][] =>
  names.length === 0 ? [] : [[heading, ...names.map((name) => `  + ${name}`)]];
