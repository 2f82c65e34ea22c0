import { httpErrors, type ValidationIssue } from "@servicekit/core";
import { z } from "zod";
import type { AuthSettings } from "../configuration/auth-config.js";
import type { UserRecord, UserRow } from "./user-store.js";

/** The login names of users, and how they are compared (contract C26). */
export interface LoginNames {
  /** The user fields whose values identify an account: login names, and `email`. */
  readonly fields: ReadonlySet<string>;
  /** The issue of a value that identifies an account. */
  issueOf(field: string, value: string): string | undefined;
  /**
   * The stored values of a user: normalized names.
   *
   * @throws {HttpError} 400 for an invalid `email`, and for a name with invisible characters
   */
  toKept(values: UserRow): UserRow;
  /** Finds the user with a name: exactly as given, otherwise normalized. */
  find(name: string, read: (name: string) => Promise<UserRecord | undefined>): Promise<UserRecord | undefined>;
}

/** Invisible characters: controls, direction marks, joiners, and those that fonts omit. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const allUnseen = new RegExp(unseen.source, "gu");

/** The normalization of names that look alike: lower case, NFKC, without invisible characters. */
export function foldName(name: string): string {
  const seen = name.normalize("NFKC").replace(allUnseen, "");
  return seen.toLowerCase().normalize("NFKC").replace(/\s+/gu, " ").trim();
}

// What browsers accept as an address in a form (HTML, section 4.10.5.1.5), up to SMTP's maximum length.
const emailSchema = z.email({ pattern: z.regexes.html5Email }).max(254);

/** Maximum length of a login name, in UTF-16 units; a login rejects longer ones. */
export const maxLoginName = 1000;

/** Creates the rules of names from the settings. */
export function makeLoginNames({ allowedUsernames, normalizeNames }: AuthSettings["login"]): LoginNames {
  const fields = new Set([...allowedUsernames.map((name) => name.split(".")[0] ?? name), "email"]);

  const toName = (given: string): string => (normalizeNames ? foldName(given) : given);
  const issueOf = (field: string, given: string): string | undefined => {
    const stored = toName(given);
    if (normalizeNames && unseen.test(given)) return "Expected no invisible characters.";
    if (field === "email" && !emailSchema.safeParse(stored).success) return "Expected an email address.";
    if (Math.max(given.length, stored.length) > maxLoginName) return `Expected at most ${maxLoginName} characters.`;
    return stored === "" ? "Expected at least one visible character." : undefined;
  };

  return {
    fields,
    issueOf,
    toKept(values) {
      const issues: ValidationIssue[] = [];
      const stored: Record<string, unknown> = { ...values };
      for (const field of fields) {
        const given = Object.hasOwn(values, field) ? values[field] : undefined;
        if (typeof given !== "string") continue;
        const message = issueOf(field, given);
        if (message !== undefined) issues.push({ in: "body", path: `/${field}`, code: "InvalidValue", message });
        stored[field] = toName(given);
      }
      if (issues.length > 0) throw httpErrors.ValidationError(undefined, { errors: issues });
      return stored;
    },
    async find(name, read) {
      const folded = toName(name);
      if (folded === name) return read(name);
      // Both are read in any case: a name from before the rule is found by its own spelling only.
      const [exact, found] = await Promise.all([read(name), read(folded)]);
      return exact ?? found;
    },
  };
}
