import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { authErrors } from "../packages/auth/src/errors.js";
import type { ErrorFactory } from "../packages/core/src/errors/define-errors.js";
import { httpErrors } from "../packages/core/src/errors/http-errors.js";
import { documentedCodes, problemType } from "../packages/core/src/errors/problem-type.js";
import { idempotencyErrors } from "../packages/idempotency/src/errors.js";
import { modelErrors } from "../packages/model-router/src/resource/errors.js";
import { ormErrors } from "../packages/prisma/src/errors/orm-errors.js";
import { queryErrors } from "../packages/query-parser/src/query-errors.js";
import { uploadErrors } from "../packages/uploads/src/errors.js";

const root = path.join(import.meta.dirname, "..");

/** The tables of error codes, in the order of the page. */
const tables: readonly (readonly [title: string, table: Readonly<Record<string, ErrorFactory>>])[] = [
  ["HTTP", httpErrors],
  ["Queries", queryErrors],
  ["Rows", modelErrors],
  ["Database", ormErrors],
  ["Authentication", authErrors],
  ["Files", uploadErrors],
  ["Idempotency", idempotencyErrors],
];

/** The sections of the page: each heading with the paragraphs below it. */
const sections = fs
  .readFileSync(path.join(root, "docs/reference/errors.md"), "utf8")
  .split(/^(?=#{2,3} )/m)
  .slice(1)
  .map((section) => {
    const [heading = "", ...lines] = section.trim().split("\n");
    return { heading, paragraphs: lines.join(" ").trim().split(/ {2,}/) };
  });

it("C73 docs/reference/errors.md documents every code of every table once, with its meaning, cause and fix", () => {
  const seen = new Set<string>();
  const expected = tables.flatMap(([title, table]) => [
    { heading: `## ${title}`, meaning: "" },
    ...Object.entries(table).flatMap(([code, make]) => {
      if (seen.has(code)) return [];
      seen.add(code);
      const { status, message } = make();
      return { heading: `### ${code}`, meaning: `Status ${status}. ${message}` };
    }),
  ]);
  const found = sections.map(({ heading, paragraphs }) => ({ heading, meaning: paragraphs[0] ?? "" }));
  expect(found).toEqual(expected);
  const codes = sections.filter(({ heading }) => heading.startsWith("### "));
  const undocumented = codes.filter(({ paragraphs: [, cause = "", fix = ""] }) => {
    return !/^\*\*Cause:\*\* .{20,}\.$/.test(cause) || !/^\*\*Fix:\*\* .{10,}\.$/.test(fix);
  });
  expect(undocumented.map(({ heading }) => heading)).toEqual([]);
});

it("every code of every table has a URL of its own on that page", () => {
  const codes = new Set(tables.flatMap(([, table]) => Object.keys(table)));
  expect([...documentedCodes]).toEqual([...codes].sort());
  expect(new Set(documentedCodes.map(problemType)).size).toBe(codes.size);
});

it("the OpenAPI document of the example contains only documented codes", () => {
  const { components } = JSON.parse(fs.readFileSync(path.join(root, "apps/example/openapi.json"), "utf8")) as {
    components: { schemas: Record<string, { allOf?: [unknown, { properties?: { code?: { enum?: string[] } } }] }> };
  };
  const found = Object.values(components.schemas).flatMap(({ allOf }) => allOf?.[1]?.properties?.code?.enum ?? []);
  expect(found.filter((code) => !documentedCodes.includes(code))).toEqual([]);
  expect(found.length).toBeGreaterThan(30);
});
