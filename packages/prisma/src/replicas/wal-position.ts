/** A position in the write-ahead log of PostgreSQL, in bytes. */
export type WalPosition = bigint;

/** Reads PostgreSQL's notation, such as `16/B374D848`; `undefined` for anything else. */
export function readWalPosition(text: unknown): WalPosition | undefined {
  const found = typeof text === "string" ? /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text) : null;
  return found === null ? undefined : (BigInt(`0x${found[1]}`) << 32n) | BigInt(`0x${found[2]}`);
}
