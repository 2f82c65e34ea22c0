import { PassThrough } from "node:stream";
import fc from "fast-check";
import { Connection } from "pg";
import { expect, it } from "vitest";
import { runMessage } from "./run-message.js";

/** The bytes that `pg` itself sends. */
function messagesOfPg(name: string, values: readonly (string | null)[]): Buffer {
  const stream = new PassThrough({ highWaterMark: 2 ** 30 });
  const connection = new Connection({ stream } as never);
  connection.bind({ statement: name, values: [...values] } as never, true);
  connection.execute({} as never, true);
  connection.sync();
  return stream.read() as Buffer;
}

it("runs a statement with the same bytes as pg", () => {
  const value = fc.oneof(fc.constant(null), fc.string({ unit: "binary" }), fc.constantFrom("", "\ud800", "ä🎵"));
  fc.assert(
    fc.property(fc.stringMatching(/^s\d_[\w-]{0,40}$/), fc.array(value), (name, values) => {
      expect(runMessage(name, values).equals(messagesOfPg(name, values))).toBe(true);
    }),
  );
  const many = Array.from({ length: 40_000 }, (_, index) => String(index));
  expect(runMessage("", many).equals(messagesOfPg("", many))).toBe(true);
});
