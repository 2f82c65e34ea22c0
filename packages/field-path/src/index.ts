export { findForbiddenKey, type ScanFault, type ScanOptions } from "./find-forbidden-key.js";
export { fromJsonPointer, toJsonPointer } from "./json-pointer.js";
export { PathError, type PathFault } from "./path-error.js";
export { isObject, isPlainObject } from "./plain-object.js";
export { type Nested, type SetOptions, setAtPath } from "./set-at-path.js";
export { checkSegment, type FieldPath, type SplitOptions, splitFieldPath } from "./split-field-path.js";
