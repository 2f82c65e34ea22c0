/** A record of a CSV file (RFC 4180): `null` is an empty cell, and an empty text is `""`. */
export const csvRecord = (cells: readonly (string | null)[]): string => `${cells.map(toCell).join()}\r\n`;

/** Texts that end a cell elsewhere, that a reader may trim, and an empty one, which is not null. */
const needsQuotes = /[",\r\n]|^\s|\s$|^$/;

function toCell(text: string | null): string {
  if (text === null) return "";
  if (!needsQuotes.test(text)) return text;
  return text.includes('"') ? quoteBytes(Buffer.from(text)) : `"${text}"`;
}

const quote = 0x22;

/** A cell with each of its quotes doubled. Replacing them in a text of megabytes takes seconds. */
function quoteBytes(bytes: Buffer): string {
  let quotes = 2;
  for (let from = 0; from < bytes.length; from++) if (bytes[from] === quote) quotes++;
  const cell = Buffer.allocUnsafe(bytes.length + quotes);
  cell[0] = quote;
  let at = 1;
  for (let from = 0; from < bytes.length; from++) {
    const byte = bytes[from] as number;
    cell[at++] = byte;
    if (byte === quote) cell[at++] = byte;
  }
  cell[at] = quote;
  return cell.toString();
}
