import { nearestWord } from "@servicekit/core/internal";
import type { QueryIssues } from "../filter/query-issues.js";

/**
 * Reads the IANA name of a time zone. Abbreviations and offsets are rejected, because PostgreSQL reads some of them
 * differently.
 */
export function readTimeZone(text: string | undefined, issues: QueryIssues): string {
  if (text === undefined) return "UTC";
  if (text === "UTC" || (namePattern.test(text) && isKnown(text))) return text;
  const near = text.length > maxLength ? undefined : nearestWord(text, Intl.supportedValuesOf("timeZone"));
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  issues.add("timeZone", "InvalidValue", `timeZone must be UTC or an IANA name such as Europe/Zurich.${hint}`);
  return "UTC";
}

const maxLength = 40;
const namePattern = /^[A-Z][\w+-]*(\/[A-Z][\w+-]*){1,2}$/i;

function isKnown(name: string): boolean {
  if (name.length > maxLength) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
