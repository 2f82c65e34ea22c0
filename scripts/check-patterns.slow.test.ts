import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it, vi } from "vitest";
import { findPatterns } from "./find-patterns.js";
import { someOf } from "./test/slow-share.js";

// The JavaScript implementation of the analysis, which needs no other program.
vi.stubEnv("RECHECK_BACKEND", "pure");
const { checkSync } = (await import("recheck")).default;

const root = path.join(import.meta.dirname, "..");

/** Literals that are not linear, or whose analysis does not finish, each with the reason why that is harmless. */
const exceptions: Readonly<Record<string, string>> = {
  ...reasons("reads files and messages of the developer's machine, never a request", [
    String.raw`/^\s*\w+\s+(Unsupported\(\s*"(?:[^"\\]|\\.)*"\s*\)|\w+)(\[\]|\?)?(.*)$/`,
    String.raw`/"(?:[^"\\]|\\.)*"/g`,
    String.raw`/^\s*datasource\s+\w+\s*\{[^}]*?^\s*provider\s*=\s*"(\w+)"/ms`,
    String.raw`/^\s*(relationMode|referentialIntegrity)\s*=\s*"prisma"/m`,
    String.raw`/^((?:[^"/]|"(?:[^"\\]|\\.)*"|\/(?!\/))*)(\/\/\/?)?(.*)$/`,
    String.raw`/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g`,
    String.raw`/^Cannot find module '[^']*[\\/]generated[\\/][^']*' imported from /`,
    String.raw`/\(?((?:file:\/\/|\/|[A-Za-z]:\\)[^()]*?):(\d+)(?::\d+)?\)?$/`,
  ]),
  ...reasons("reads paths that the application declares, and URLs of its configuration", [
    String.raw`/\/+$/`,
    String.raw`/(?<=.)\/+$/`,
    String.raw`/\((?:\?<(.*?)>)?(?!\?)/g`,
    String.raw`/^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/i`,
  ]),
  ...reasons("reads metrics of this process, whose labels contain no text of a request", [
    String.raw`/^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (.+)$/`,
  ]),
  ...reasons("reads the first 2,000 characters of a statement, whose values are parameters", [
    String.raw`/\b(?:from|into|update)\s+(?:"[^"]*"\s*\.\s*|\w+\.)?(?:"([^"]+)"|(\w+))/i`,
  ]),
  ...reasons("reads statements of Prisma Client, whose values are parameters", [
    String.raw`/\`(?:[^\`]|\`\`)*\`|"(?:[^"]|"")*"|'(?:[^']|'')*'|LIKE \(('%' \|\| )?\?( \|\| '%')?\)|\?|(?<=[\`)] )(?:ASC|DESC)(?=,| LIMIT |\)|$)/g`.replaceAll(
      "\\`",
      "`",
    ),
  ]),
  ...reasons("reads messages about constraints, whose names are those of the tables", [
    String.raw`/CONSTRAINT \`((?:[^\`]|\`\`)*)\` FOREIGN KEY \((.*?)\) REFERENCES /`.replaceAll("\\`", "`"),
  ]),
  ...reasons("reads names of models, and secrets of the configuration", [
    String.raw`/\d+[A-Z]+(?![a-z])|[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+(?:\d+(?!\d|[A-Z]{2}))?|\d+/g`,
    String.raw`/changeme|change|replace|placeholder|passwords?|secrets?|private|signing|access|tokens?|default|examples?|sample|random|strings?|insecure|unsafe|secure|strong|super|testing|test|development|dev|production|prod|local|please|characters?|chars?|bits?|bytes?|minimum|least|long|auth|keys?|jwt|your|this|that|here|with|must|some|very|only|not|use|for|and|the|my|me|it|is|in|to|be|at|of|an|a|qwerty|abc(?:def(?:ghi)?)?|x+|0?123456789?0?|(?<!\d)\d{1,4}(?!\d)|[\s._\-:!?<>[\](){}'"]/g`,
  ]),
  ...reasons("is measured by packages/service/src/logging/redact.clock.test.ts", [
    String.raw`/(["']?)([\w$.-]{1,200})\1\s*:\s*/g`,
    String.raw`/(?<![\w-])eyJ[\w-]{4,}\.[\w-]{4,}\.[\w-]*/g`,
    String.raw`/(^|[?&;#\s])([^?&;#=\s]{1,200})=([^&;#\s]*)/g`,
    String.raw`/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^/?#\s@]*@/gi`,
  ]),
};

/** Packages that run only on the machine of a developer: their patterns never read a request. */
const offline = /^(?:cli|create-servicekit|dev-database|init)\//;

/** Files in which a pattern is computed, each with the reason why that is harmless. */
const computedIn: Readonly<Record<string, string>> = {
  "auth/src/users/login-names.ts": "a literal with another flag",
  "config-loader/src/modules/find-modules.ts": "reads names of files of the application",
  "jobs/src/schedules/parse-schedule.ts": "a list of terms that contain no comma, made of constants",
  "prisma/src/mysql/rewrite-statement.ts": "reads statements of Prisma Client, whose values are parameters",
  "prisma/src/values/exact-json.ts": "placeholders of that file, which occur in no other text, and text between quotes",
  "prisma/src/sql/find-plan-gaps.ts": "an alias, and the name of a column in a plan of PostgreSQL",
  "service/src/logging/redact-text.ts": "a copy of a literal",
  "uploads/src/files/check-file.ts": "a pattern of the application's configuration",
  "uploads/src/settings.ts": "alternatives between both ends, made of constants",
};

function reasons(reason: string, literals: readonly string[]): Record<string, string> {
  return Object.fromEntries(literals.map((literal) => [literal, reason]));
}

/**
 * The literals that are not verified as linear, with their places and the result of the analysis.
 *
 * @param sample the literals whose analysis may take long; of the others it is skipped where it does
 */
function notLinear(
  { literals }: ReturnType<typeof findPatterns>,
  except: object = {},
  sample: readonly string[] = [...literals.keys()],
): string[] {
  return [...literals].flatMap(([literal, { source, flags, places }]) => {
    if (Object.hasOwn(except, literal) || places.every((place) => offline.test(place))) return [];
    const isComplete = sample.includes(literal);
    const found = checkSync(source, flags, { timeout: isComplete ? 120_000 : 100 });
    if (found.status === "safe" || (found.status === "unknown" && !isComplete)) return [];
    const why = found.status === "vulnerable" ? found.complexity.summary : found.error.kind;
    return [`${places.join(", ")}: ${literal} is not linear (${why})`];
  });
}

it("C59 every regular expression of the source takes time proportional to its input", {
  timeout: 900_000,
}, () => {
  const found = findPatterns(root);
  expect(found.literals.size).toBeGreaterThan(300);
  expect(notLinear(found, exceptions, someOf([...found.literals.keys()]))).toEqual([]);
});

it("has an exception only for existing patterns", () => {
  const { literals, computed } = findPatterns(root);
  const isNeeded = (literal: string): boolean =>
    literals.get(literal)?.places.some((place) => !offline.test(place)) === true;
  expect(Object.keys(exceptions).filter((literal) => !isNeeded(literal))).toEqual([]);
  const files = new Set(computed.map((call) => call.slice(0, call.indexOf(":"))));
  expect([...files].filter((file) => !offline.test(file)).sort()).toEqual(Object.keys(computedIn).sort());
});

it("reports a pattern that is not linear, as a literal and as a string, and a computed one", () => {
  const tree = fs.mkdtempSync(path.join(os.tmpdir(), "patterns-"));
  fs.mkdirSync(path.join(tree, "packages/a/src"), { recursive: true });
  fs.writeFileSync(
    path.join(tree, "packages/a/src/a.ts"),
    'export const blanks: RegExp = / +$/;\n// "/ *$/"\nnew RegExp("a*b", "g");\nRegExp(blanks.source);\n/^a$/u;\n',
  );
  const found = findPatterns(tree);
  fs.rmSync(tree, { recursive: true });
  expect([...found.literals.keys()]).toEqual(["/ +$/", "/a*b/g", "/^a$/u"]);
  expect(found.computed).toEqual(["a/src/a.ts: RegExp(blanks.source)"]);
  expect(notLinear(found)).toEqual([
    "a/src/a.ts:1: / +$/ is not linear (2nd degree polynomial)",
    "a/src/a.ts:3: /a*b/g is not linear (2nd degree polynomial)",
  ]);
});
