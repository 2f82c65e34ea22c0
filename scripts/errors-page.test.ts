import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { authErrors } from "../packages/auth/src/errors.js";
import type { ErrorFactory } from "../packages/errors/src/define-errors.js";
import { httpErrors } from "../packages/errors/src/http-errors.js";
import { toldCodes } from "../packages/errors/src/problem-type.js";
import { ormErrors } from "../packages/orm/src/errors/orm-errors.js";
import { queryErrors } from "../packages/query-parser/src/query-errors.js";
import { modelErrors } from "../packages/resource/src/errors.js";
import { uploadErrors } from "../packages/uploads/src/errors.js";

const root = path.join(import.meta.dirname, "..");

/** The tables of codes, in the order of the page. */
const tables: readonly (readonly [title: string, table: Readonly<Record<string, ErrorFactory>>])[] = [
  ["HTTP", httpErrors],
  ["Queries", queryErrors],
  ["Rows", modelErrors],
  ["The database", ormErrors],
  ["Signing in", authErrors],
  ["Files", uploadErrors],
];

function page(): string {
  const sections = tables.map(([title, table]) => {
    const codes = Object.entries(table).map(([code, make]) => {
      const { status, message } = make();
      return `### ${code}\n\nStatus ${status}. ${message}\n`;
    });
    return `## ${title}\n\n${codes.join("\n")}`;
  });
  return `# Errors

Every error is a problem (RFC 9457) with a \`code\` of this page; its \`type\` is the address of the code here. \`detail\` says
what went wrong this time, and \`errors\` at which places of the request, each with a code of its own in the same style:
\`UnknownField\`, \`RequiredValue\`, \`InvalidValue\`, \`InvalidType\`, \`TooSmall\`, \`TooBig\`, \`InvalidFormat\`, the code of the
whole problem where it is of that place, and what the library says that validates a route (\`IsEmail\` of class-validator). A
code that an application makes itself has the type \`about:blank\`.

${sections.join("\n")}`;
}

it("F42 docs/errors.md tells of every code of every table, and every address leads there", async () => {
  await expect(page()).toMatchFileSnapshot(path.join(root, "docs/errors.md"));
  const codes = tables.flatMap(([, table]) => Object.keys(table));
  expect([...toldCodes]).toEqual([...new Set(codes)].sort());
});

it("F42 the document of the example knows no code that the page does not tell of", () => {
  const { components } = JSON.parse(fs.readFileSync(path.join(root, "apps/example/openapi.json"), "utf8")) as {
    components: { schemas: Record<string, { allOf?: [unknown, { properties?: { code?: { enum?: string[] } } }] }> };
  };
  const found = Object.values(components.schemas).flatMap(({ allOf }) => allOf?.[1]?.properties?.code?.enum ?? []);
  expect(found.filter((code) => !toldCodes.includes(code))).toEqual([]);
  expect(found.length).toBeGreaterThan(30);
});
