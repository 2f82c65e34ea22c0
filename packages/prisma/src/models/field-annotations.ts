import { nearestWord } from "@servicekit/core/internal";
import type { FieldAnnotations } from "./model.js";

const knownAnnotations = ["hidden", "readonly", "writeonly", "writable", "visible"] as const;

/** A parsed `///` comment. */
export interface ReadAnnotations {
  readonly annotations: FieldAnnotations;
  /** The comment without its annotations. */
  readonly documentation: string | undefined;
  /** Words that look like a misspelled annotation, each with the similar annotation. */
  readonly misspelt: readonly { readonly word: string; readonly meant: string }[];
}

/**
 * Reads the annotations at the start of the lines of a field's `///` comment (contract C11, C13, C144). Words after other `@`
 * signs belong to other tools and stay in the text.
 */
export function readFieldAnnotations(name: string, comment: string | undefined): ReadAnnotations {
  const found = new Set<string>();
  const misspelt: { word: string; meant: string }[] = [];
  const lines = (comment ?? "").split("\n").flatMap((line) => {
    let rest = line;
    for (let word = firstAnnotation(rest); word !== undefined; word = firstAnnotation(rest)) {
      const meant = nearestWord(word, knownAnnotations);
      if (meant === undefined) break;
      if (meant === word) found.add(word);
      else misspelt.push({ word, meant });
      rest = rest.trimStart().slice(word.length + 1);
    }
    return rest === line ? [line] : rest.trim() === "" ? [] : [rest.trim()];
  });
  const documentation = lines.join("\n").trim();
  return {
    annotations: Object.freeze({
      hidden: name === "password" || found.has("hidden"),
      readonly: found.has("readonly"),
      // Read-only on every model (contract C64), unless the schema already excludes it from bodies.
      writeonly: found.has("writeonly") || (name === "password" && !found.has("hidden")),
      writable: found.has("writable"),
      visible: found.has("visible"),
    }),
    documentation: documentation === "" ? undefined : documentation,
    misspelt,
  };
}

/** The word after an `@` at the start of a line, if it is followed by a blank or a punctuation mark only. */
function firstAnnotation(line: string): string | undefined {
  return /^\s*@([A-Za-z_-]+)(?=[\s,;:.]|$)/.exec(line)?.[1];
}
