import { expect, it } from "vitest";
import { growth, inProportion } from "../../../../scripts/test/measure.js";
import { readWholeRequest } from "./read-whole-request.js";

it.each(["a: \r\n", "a:", " ", "\t", "connection: keep-alive\r\n", "content-length:1\r\n", "\r\n", "/", "a"])(
  "C59 takes time in proportion to a head full of %j",
  async (piece) => {
    for (const before of [
      "GET /",
      "GET / HTTP/1.1\r\n",
      "GET / HTTP/1.1\r\nhost: a\r\nx: ",
      "POST / HTTP/1.1\r\ncontent-length:",
    ]) {
      const read = (size: number) => {
        const chunk = Buffer.from(`${before}${piece.repeat(size / piece.length)}!`);
        for (let turn = 0; turn < 20; turn++) readWholeRequest(chunk);
      };
      expect(await growth(read, 4_000)).toBeLessThan(inProportion);
    }
  },
);
