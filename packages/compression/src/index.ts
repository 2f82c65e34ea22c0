export { type CompressionOptions, isCompressible, makeCompression } from "./make-compression.js";
