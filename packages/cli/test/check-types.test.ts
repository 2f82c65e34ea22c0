import fs from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { makeTypeChecker } from "../src/dev/check-types.js";
import { makeFolder } from "./temporary-folder.js";

/** A project whose compiler prints and exits by its arguments. */
const makeProject = (compiler: string): string =>
  makeFolder({
    "package.json": "{}",
    "tsconfig.json": "{}",
    "node_modules/typescript/package.json": '{ "bin": { "tsc": "tsc.js" } }',
    "node_modules/typescript/tsc.js": compiler,
  });

/** Checks once and returns what is reported. */
function check(root: string): Promise<string> {
  return new Promise((resolve) => {
    const checker = makeTypeChecker(root, resolve);
    onTestFinished(() => checker?.close());
    checker?.check();
  });
}

it("C73 reports the errors of the project's TypeScript", async () => {
  const printed = 'console.log(`a.ts(1,1): error TS1: ${process.argv.includes("--noEmit")}`); process.exitCode = 2;';
  expect(await check(makeProject(printed))).toBe("a.ts(1,1): error TS1: true");
});

it("C73 reports an empty text without errors", async () => {
  expect(await check(makeProject(""))).toBe("");
});

it("C73 reports only the result of the last check", async () => {
  const reports: string[] = [];
  const root = makeProject('console.log("outdated"); setInterval(() => {}, 1000);');
  const done = new Promise<void>((resolve) => {
    const checker = makeTypeChecker(root, (text) => {
      reports.push(text);
      resolve();
    });
    onTestFinished(() => checker?.close());
    checker?.check();

    // The first process has not read the file yet, or prints another text: neither is reported.
    fs.writeFileSync(`${root}/node_modules/typescript/tsc.js`, 'console.log("current"); process.exitCode = 1;');
    checker?.check();
  });
  await done;
  expect(reports).toEqual(["current"]);
});

it("C73 is off without a tsconfig.json or without TypeScript", () => {
  const manifest = { "package.json": "{}" };
  expect(makeTypeChecker(makeFolder(manifest), () => {})).toBeUndefined();
});
