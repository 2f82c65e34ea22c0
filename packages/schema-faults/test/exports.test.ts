import { expect, it } from "vitest";
import * as schemaFaults from "../src/index.js";

it("exports these names", () => {
  expect(Object.keys(schemaFaults).sort()).toEqual([
    "checkConfig",
    "describeFound",
    "expectedWords",
    "findFaults",
    "inSchemaOrder",
    "isSecretName",
    "metaOf",
    "unfold",
  ]);
});
