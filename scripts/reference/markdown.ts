/** A Markdown table. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Inline code for a table cell; empty for an empty text. */
export const code = (text: string): string => (text === "" ? "" : `\`${text.replaceAll("|", "\\|")}\``);

/** Plain text for a table cell or a paragraph: the site would take `<name>` as HTML. */
export const plain = (text: string): string => text.replaceAll("<", "&lt;").replaceAll("|", "\\|");

/** The note at the top of a generated page. */
export const generated = "<!-- Generated: npm test -- scripts/reference -u -->";
