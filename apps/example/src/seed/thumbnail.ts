const headerSize = 54;
const side = 4;

/** A bitmap of 4 × 4 pixels in one color: the smallest real image without an encoder. */
export function makeThumbnail(red: number, green: number, blue: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(headerSize + side * side * 3);
  const view = new DataView(bytes.buffer);
  bytes.set([0x42, 0x4d]); // "BM"
  view.setUint32(2, bytes.length, true);
  view.setUint32(10, headerSize, true);
  view.setUint32(14, 40, true); // the size of the rest of the header
  view.setInt32(18, side, true);
  view.setInt32(22, side, true);
  view.setUint16(26, 1, true); // planes
  view.setUint16(28, 24, true); // bits per pixel
  view.setUint32(34, side * side * 3, true);
  for (let at = headerSize; at < bytes.length; at += 3) bytes.set([blue, green, red], at);
  return bytes;
}
