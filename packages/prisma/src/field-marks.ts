import { nearestWord } from "@servicekit/core/internal";
import type { FieldMarks } from "./model.js";

const knownMarks = ["hidden", "readonly", "writeonly", "writable"] as const;

/** A `///` comment taken apart. */
export interface ReadMarks {
  readonly marks: FieldMarks;
  /** The comment without its marks. */
  readonly documentation: string | undefined;
  /** Words that look like a misspelt mark, each with the mark that it resembles. */
  readonly misspelt: readonly { readonly word: string; readonly meant: string }[];
}

/**
 * Reads the marks at the beginning of the lines of a field's `///` comment (contract C11, C13). Words after other `@`
 * signs belong to other tools and stay in the text.
 */
export function readFieldMarks(name: string, comment: string | undefined): ReadMarks {
  const found = new Set<string>();
  const misspelt: { word: string; meant: string }[] = [];
  const lines = (comment ?? "").split("\n").flatMap((line) => {
    let rest = line;
    for (let mark = firstMark(rest); mark !== undefined; mark = firstMark(rest)) {
      const meant = nearestWord(mark, knownMarks);
      if (meant === undefined) break;
      if (meant === mark) found.add(mark);
      else misspelt.push({ word: mark, meant });
      rest = rest.trimStart().slice(mark.length + 1);
    }
    return rest === line ? [line] : rest.trim() === "" ? [] : [rest.trim()];
  });
  const documentation = lines.join("\n").trim();
  return {
    marks: Object.freeze({
      hidden: name === "password" || found.has("hidden"),
      readonly: found.has("readonly"),
      // Only to be written on every model (contract C64), unless the schema says that no client sets it.
      writeonly: found.has("writeonly") || (name === "password" && !found.has("hidden")),
      writable: found.has("writable"),
    }),
    documentation: documentation === "" ? undefined : documentation,
    misspelt,
  };
}

/** The word after an `@` at the beginning of a line, when nothing but a blank or a sentence mark follows it. */
function firstMark(line: string): string | undefined {
  return /^\s*@([A-Za-z_-]+)(?=[\s,;:.]|$)/.exec(line)?.[1];
}
