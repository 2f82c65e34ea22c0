import path from "node:path";
import { expect, it } from "vitest";
import { readTexts, textFiles } from "./source-texts.js";

const root = path.join(import.meta.dirname, "..", "..");

/** Every message of the packages in the order of the files, so that a review shows each message that changes. */
function listMessages(): string {
  const files = textFiles(root).filter((file) => /^packages\/[^/]+\/(?:app\/)?src\/.*\.tsx?$/.test(file));
  const sources = files.filter((file) => !/\.test(?:-d)?\.tsx?$/.test(file));
  const texts = readTexts(root, sources).filter(({ kind }) => kind === "message");
  return sources
    .flatMap((file) => {
      const own = [...new Set(texts.filter((text) => text.file === file).map(({ text }) => text.trim()))];
      return own.length === 0 ? [] : [`${file}\n${own.map((text) => `  ${JSON.stringify(text)}\n`).join("")}`];
    })
    .join("\n");
}

it("lists every message in messages.txt, which is updated with `npm test -- scripts/words -u`", async () => {
  await expect(listMessages()).toMatchFileSnapshot("messages.txt");
});
