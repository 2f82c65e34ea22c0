import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { headersAtOnce, knownHeader } from "../src/internal.js";

const makeAnswer = (): ServerResponse => {
  const answer = new ServerResponse(new IncomingMessage(new Socket()));
  answer.sendDate = false;
  return answer;
};

/** What an answer says of its headers, and the bytes that Node makes of them. */
function told(answer: ServerResponse): unknown {
  const seen = [answer.getHeaders(), answer.getHeaderNames(), answer.hasHeader("constructor")];
  answer.writeHead(200);
  return [...seen, (answer as ServerResponse & { _header: string })._header];
}

type Change = (answer: ServerResponse, set: (name: string, value: string | number) => void) => void;

const changes: readonly (readonly [name: string, change: Change])[] = [
  ["one", (_answer, set) => set("X-Request-Id", "1")],
  ["a number", (_answer, set) => set("Content-Length", 3)],
  [
    "the same one twice, spelt in two ways",
    (_answer, set) => {
      set("X-Request-Id", "1");
      set("x-request-ID", "2");
    },
  ],
  [
    "behind and before Node's own",
    (answer, set) => {
      answer.setHeader("ETag", '"1"');
      set("Vary", "Accept");
      answer.setHeader("vary", "Origin").setHeader("X-Last", ["a", "b"]);
    },
  ],
  [
    "taken away, and one appended to",
    (answer, set) => {
      for (const name of ["ETag", "Vary", "X-Request-Id"]) set(name, "1");
      answer.removeHeader("vary");
      answer.appendHeader("x-request-id", "2");
      set("Vary", "3");
    },
  ],
  ["thirty", (_answer, set) => Array.from({ length: 30 }, (_, at) => set(`X-Name-${at}`, at))],
];

describe("C43 a header whose values are known to be good", () => {
  it.each(changes)("is told and written as one that setHeader has set: %s", (_name, change) => {
    const [ours, nodes] = [makeAnswer(), makeAnswer()];
    change(ours, (name, value) => knownHeader(name)(ours, value));
    change(nodes, (name, value) => void nodes.setHeader(name, value));
    expect(told(ours)).toEqual(told(nodes));
  });

  it("is set without being judged, by this Node", () => {
    const answer = makeAnswer();
    knownHeader("X-Request-Id")(answer, "a\nb");
    expect(answer.getHeader("x-request-id")).toBe("a\nb");
    expect(() => knownHeader("a name")).toThrow(TypeError);
  });

  it("goes through a method that somebody has put in the place of setHeader", () => {
    const answer = makeAnswer();
    const seen: unknown[] = [];
    answer.setHeader = (...header) => {
      seen.push(header);
      return answer;
    };
    knownHeader("X-Request-Id")(answer, "1");
    expect(headersAtOnce([["X-Frame-Options", "DENY"]])(answer)).toBe(false);
    expect(seen).toEqual([["X-Request-Id", "1"]]);
  });

  it("fails as setHeader does once the headers have been sent", () => {
    const answer = makeAnswer();
    answer.writeHead(200);
    expect(() => knownHeader("X-Request-Id")(answer, "1")).toThrow("after they are sent");
  });

  it("is left to the answer where that keeps its headers in another way", () => {
    const seen: unknown[] = [];
    const answer = { setHeader: (...header: unknown[]) => seen.push(header) };
    knownHeader("X-Request-Id")(answer as never, "1");
    expect(seen).toEqual([["X-Request-Id", "1"]]);
  });
});

describe("C43 headers with one text each", () => {
  const set = headersAtOnce([
    ["X-Frame-Options", "DENY"],
    ["Vary", "Accept"],
  ]);

  it("are set at once for an answer that has none", () => {
    const [ours, nodes] = [makeAnswer(), makeAnswer()];
    expect(set(ours)).toBe(true);
    nodes.setHeader("X-Frame-Options", "DENY").setHeader("Vary", "Accept");
    expect(told(ours)).toEqual(told(nodes));
  });

  it("are not set for one that has headers, and are no list that two answers share", () => {
    const [first, second, third] = [makeAnswer(), makeAnswer(), makeAnswer()];
    set(first);
    first.appendHeader("Vary", "Origin");
    set(second);
    expect([first.getHeader("vary"), second.getHeader("vary")]).toEqual([["Accept", "Origin"], "Accept"]);
    third.setHeader("ETag", '"1"');
    expect([set(third), third.getHeaderNames()]).toEqual([false, ["etag"]]);
  });
});
