/**
 * The limits of every form (contract C20, reliability): the library knows none of them by default, and without the
 * last two a form of 300 bytes stops the process.
 */
export const multipartLimits = Object.freeze({
  /** Text fields. */
  fields: 200,
  /** Bytes of a name. */
  fieldNameSize: 200,
  /** Bytes of one text field, and of all of them together. */
  fieldSize: 1024 * 1024,
  headerPairs: 50,
  /** Brackets of a name. */
  fieldNestingDepth: 5,
  /** The highest index of a list. */
  fieldArrayIndexLimit: 100,
});

/** File fields that a browser sends empty; they are no files. */
export const emptyFiles = 20;
