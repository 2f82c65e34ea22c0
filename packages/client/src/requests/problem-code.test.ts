import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), "utf8");

it("C74 the error codes are those of the errors page", () => {
  const documented = [...read("../../../../docs/reference/errors.md").matchAll(/^### (\w+)$/gm)].map(
    ([, code]) => code,
  );
  const typed = [...read("problem-code.ts").matchAll(/"(\w+)"/g)].map(([, code]) => code);
  expect(typed).toEqual([...new Set(documented)].sort());
});
