/**
 * How long an answer is whose head has come in, in characters of one byte; 0 until it has.
 *
 * @throws {Error} for one that does not tell its length
 */
export function lengthOfAnswer(text: string): number {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return 0;
  const head = text.slice(0, end);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error(`An answer has no length: ${head}`);
  return end + 4 + length;
}
