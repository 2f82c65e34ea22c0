/**
 * A text as a cell of CSV that no spreadsheet runs as a formula: one that starts like a formula, also after apostrophes,
 * gets an apostrophe before it (OWASP, CSV injection).
 */
export const withFormulaGuard = (text: string): string => (/^'*[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text);

/** The text of a cell that {@link withFormulaGuard} has written. */
export const withoutFormulaGuard = (cell: string): string =>
  /^'+[=+\-@\t\r\n＝＋－＠]/.test(cell) ? cell.slice(1) : cell;
