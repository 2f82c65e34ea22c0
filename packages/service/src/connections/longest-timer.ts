/** In milliseconds: a timer of Node's that is longer ends at once. */
export const longestTimer = 2 ** 31 - 1;
