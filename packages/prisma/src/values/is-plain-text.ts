/** Whether the database stores a text unchanged. */
export const isPlainText = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** The message for a client. */
export const plainTextRule = "Text must not contain NUL or lone surrogates.";
