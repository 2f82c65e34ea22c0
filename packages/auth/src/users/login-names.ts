import { type FieldFault, httpErrors } from "@servicekit/core";
import { z } from "zod";
import type { AuthSettings } from "../configuration/auth-config.js";
import type { UserRecord, UserRow } from "./user-store.js";

/** What users are called, and how it is compared (contract C26). */
export interface LoginNames {
  /** The fields of the user whose values name an account: login names, and `email`. */
  readonly fields: ReadonlySet<string>;
  /** What is wrong with the value of a field that names an account. */
  faultOf(field: string, value: string): string | undefined;
  /**
   * The values of a user as they are kept: names in their one spelling.
   *
   * @throws {HttpError} 400 for an `email` that is no address, and for a name with characters that nobody sees
   */
  toKept(values: UserRow): UserRow;
  /** Finds whoever has a name: exactly as it was given, else in its one spelling. */
  find(name: string, read: (name: string) => Promise<UserRecord | undefined>): Promise<UserRecord | undefined>;
}

/** What nobody sees: controls, marks of direction, joiners, what fonts leave out. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const allUnseen = new RegExp(unseen.source, "gu");

/** The one spelling of all names that somebody might take for the same: lower case, NFKC, without what nobody sees. */
export function foldName(name: string): string {
  const seen = name.normalize("NFKC").replace(allUnseen, "");
  return seen.toLowerCase().normalize("NFKC").replace(/\s+/gu, " ").trim();
}

// What browsers take for an address in a form (HTML, section 4.10.5.1.5), and as long as SMTP can carry.
const emailSchema = z.email({ pattern: z.regexes.html5Email }).max(254);

/** Makes the rules of names from the settings. */
export function makeLoginNames({ allowedUsernames, normalizeNames }: AuthSettings["login"]): LoginNames {
  const fields = new Set([...allowedUsernames.map((name) => name.split(".")[0] ?? name), "email"]);

  const toName = (given: string): string => (normalizeNames ? foldName(given) : given);
  const faultOf = (field: string, given: string): string | undefined => {
    const kept = toName(given);
    if (normalizeNames && unseen.test(given)) return "Expected no characters that cannot be seen.";
    if (field === "email" && !emailSchema.safeParse(kept).success) return "Expected an email address.";
    return kept === "" ? "Expected a text that can be seen." : undefined;
  };

  return {
    fields,
    faultOf,
    toKept(values) {
      const faults: FieldFault[] = [];
      const kept: Record<string, unknown> = { ...values };
      for (const field of fields) {
        const given = Object.hasOwn(values, field) ? values[field] : undefined;
        if (typeof given !== "string") continue;
        const message = faultOf(field, given);
        if (message !== undefined) faults.push({ in: "body", path: `/${field}`, code: "InvalidValue", message });
        kept[field] = toName(given);
      }
      if (faults.length > 0) throw httpErrors.ValidationError(undefined, { errors: faults });
      return kept;
    },
    async find(name, read) {
      const folded = toName(name);
      if (folded === name) return read(name);
      // Both are read whichever there is: a name from before the rule is found by its own spelling, and by no other.
      const [exact, found] = await Promise.all([read(name), read(folded)]);
      return exact ?? found;
    },
  };
}
