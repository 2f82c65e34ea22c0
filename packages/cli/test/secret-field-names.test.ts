import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

// `service init` must hide what the service rejects at startup. The package init has no dependencies, so it has a copy.
it("C144 service init and the service use the same names of secrets", () => {
  const [ofInit, ofPrisma] = ["init/src", "prisma/src/models"].map((folder) =>
    fs.readFileSync(path.join(import.meta.dirname, "../..", folder, "secret-field-name.ts"), "utf8"),
  );
  expect(ofInit).toBe(ofPrisma);
});
