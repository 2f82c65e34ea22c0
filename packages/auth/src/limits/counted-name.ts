import { foldName } from "../users/login-names.js";

/**
 * A name as the limits count it: without case, accents and the other differences that a collation may ignore. Names that
 * find no account are then counted together as those that find the same one, so that a 429 does not reveal an account.
 */
export const countedName = (name: string): string =>
  foldName(foldName(name).normalize("NFKD").replace(/\p{M}/gu, "").toUpperCase());
