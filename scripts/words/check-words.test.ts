import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { readTexts, textFiles, textsOfLines, textsOfSource } from "./source-texts.js";

/** A term that the project replaced. The reason and the replacement are shown where it is used again. */
interface Term {
  /** A regular expression, matched without regard to case. */
  readonly pattern: string;
  readonly instead: string;
  readonly reason: string;
  /** Starts of paths in which the term has its usual meaning. */
  readonly except?: readonly string[];
}

const root = path.join(import.meta.dirname, "..", "..");
const terms = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, "terms.json"), "utf8")) as readonly Term[];

/** The uses of replaced terms in the texts, as `file:line: "term" …`. */
function findTerms(texts: ReturnType<typeof readTexts>): string[] {
  const compiled = terms.map((term) => ({ ...term, expression: new RegExp(term.pattern, "i") }));
  return texts.flatMap(({ file, line, kind, text }) => {
    if (kind === "name") return [];
    return compiled.flatMap(({ expression, instead, except = [] }) => {
      const found = expression.exec(text)?.[0];
      if (found === undefined || except.some((start) => file.startsWith(start))) return [];
      return [`${file}:${line}: "${found}" in a ${kind}; write ${instead}`];
    });
  });
}

it("finds a replaced term in comments, messages, test titles, and pages with their code", () => {
  const source = 'const a = "The fault was found."; // told\nit("is dear", () => {});';
  expect(findTerms(textsOfSource("a.test.ts", source))).toEqual([
    'a.test.ts:1: "told" in a comment; write report, return, log, print, document',
    'a.test.ts:2: "dear" in a title; write expensive',
  ]);
  expect(findTerms(textsOfSource("a.ts", source))).toHaveLength(3);
  expect(findTerms(textsOfLines("a.md", "```\n// the fault\n```\nby hand"))).toEqual([
    'a.md:2: "fault" in a page; write error, issue',
    'a.md:4: "by hand" in a page; write manually, hand-written',
  ]);
});

it("finds no replaced term in the repository", () => {
  const files = textFiles(root).filter((file) => !file.startsWith("scripts/words/"));
  expect(findTerms(readTexts(root, files))).toEqual([]);
});
