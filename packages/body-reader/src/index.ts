export { encodingFault } from "./encoding-fault.js";
export { decodeText, hasBody } from "./media-type.js";
export { checkFieldCount, type FieldReading, parseFields, plusToSpace } from "./parse-fields.js";
export { type JsonReading, parseJson } from "./parse-json.js";
export { type ByteReading, readBytes } from "./read-bytes.js";
export { type MultipartReading, readMultipart } from "./read-multipart.js";
export { handOnLongNumbers, roundedNumbers } from "./rounded-numbers.js";
export { type JsonBounds, type JsonScan, scanJson } from "./scan-json.js";
export { toBytes } from "./to-bytes.js";
