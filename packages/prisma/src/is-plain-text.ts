/** What a text must be for the database to keep it as it came. */
export const isPlainText = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** Says it to a client. */
export const plainTextRule = "Text may hold neither the character NUL nor half a surrogate pair.";
