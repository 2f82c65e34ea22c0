import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { isInstalled, missingPackages, whenMissing } from "./optional-package.js";
import { StartupError } from "./start-error.js";

/** Imports a module with this code, which may call `whenMissing` for some packages. */
function importCode(code: string, ...names: string[]): Promise<unknown> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-optional-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "module.mjs");
  fs.writeFileSync(file, code);
  return import(/* @vite-ignore */ pathToFileURL(file).href).catch(whenMissing("here", { names, purpose: "This" }));
}

it("C32 names the missing packages, their purpose and the command that installs them", () => {
  expect(missingPackages({ names: ["redis", "rate-limit-redis"], purpose: "Redis" })).toBe(
    "Redis needs redis and rate-limit-redis, which are not installed: npm install redis rate-limit-redis",
  );
  expect(missingPackages({ names: ["pg"], purpose: "It", development: true })).toBe(
    "It needs pg, which is not installed: npm install --save-dev pg",
  );
});

it("C32 resolves a package from the module that would import it", () => {
  expect(isInstalled("vitest", import.meta.url)).toBe(true);
  expect(isInstalled("no-such-package", import.meta.url)).toBe(false);
});

it("C32 reports that the import of a missing package failed, and how to install it", async () => {
  const failed = importCode('import "no-such-package";', "no-such-package");
  await expect(failed).rejects.toThrow(StartupError);
  await expect(failed).rejects.toThrow(/here: This needs no-such-package, which is not installed: npm install/);
});

it("C32 passes on every other failure of an import", async () => {
  await expect(importCode('import "no-such-package";', "another")).rejects.not.toThrow(StartupError);
  await expect(importCode('throw new Error("It is broken.");', "another")).rejects.toThrow(/^It is broken\.$/);
});
