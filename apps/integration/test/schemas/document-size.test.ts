import { expect, it } from "vitest";
import { generatedDocument } from "./generated-document.js";
import { makeSchema } from "./make-schema.js";

/** Bytes of the document per operation. */
async function bytesOfRoute(count: number): Promise<number> {
  const document = await generatedDocument(makeSchema(7, count));
  const operations = Object.values(document.paths).flatMap((path) => Object.keys(path));
  return Buffer.byteLength(JSON.stringify(document)) / operations.length;
}

// The measured size (2,111 and 1,769 bytes) with 5 %, so that a changed word does not fail. Shared parts cost less per
// route, the more models there are.
it.each([
  [15, 2220],
  [81, 1860],
])("C65 of %i models, a route takes less than %i bytes of the document", async (count, max) => {
  expect(await bytesOfRoute(count)).toBeLessThan(max);
});
