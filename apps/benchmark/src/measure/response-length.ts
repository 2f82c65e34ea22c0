/**
 * The length of a response in bytes once its header section is complete; 0 before.
 *
 * @throws {Error} for a response without Content-Length
 */
export function responseLength(text: string): number {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return 0;
  const head = text.slice(0, end);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error(`A response has no Content-Length: ${head}`);
  return end + 4 + length;
}
