import { expect, it } from "vitest";
import { makeSharedTexts } from "./shared-texts.js";

it("C133 writes a text once for all streams, and again when it is no longer among the latest", () => {
  const share = makeSharedTexts(10);
  const written: string[] = [];
  const textOf = (text: string) =>
    share(() => {
      written.push(text);
      return text;
    });
  const [a, b, c, long] = [textOf("aaaaa"), textOf("bbbbb"), textOf("c"), textOf("more than ten")];
  expect([a(), a(), b(), a(), b()]).toEqual(["aaaaa", "aaaaa", "bbbbb", "aaaaa", "bbbbb"]);
  expect(written).toEqual(["aaaaa", "bbbbb"]);
  expect([c(), b(), c(), a()]).toEqual(["c", "bbbbb", "c", "aaaaa"]);
  expect(written).toEqual(["aaaaa", "bbbbb", "c", "aaaaa"]);
  expect([long(), long()]).toEqual(["more than ten", "more than ten"]);
  expect(written.slice(4)).toEqual(["more than ten", "more than ten"]);
});
