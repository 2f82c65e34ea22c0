import { describe, expect, it } from "vitest";
import { hasColours } from "../src/terminal/paint.js";
import { formatMarkdown, formatTable } from "../src/terminal/table.js";

const table = {
  heads: ["route", "who"],
  rows: [
    ["GET /a|b", "everyone"],
    ["x", ""],
  ],
};

describe("C73 the output of commands", () => {
  it("has columns, or is Markdown", () => {
    expect(formatTable(table)).toBe("route     who\n────────  ────────\nGET /a|b  everyone\nx");
    expect(formatMarkdown(table)).toBe("| route | who |\n| --- | --- |\n| GET /a\\|b | everyone |\n| x |  |");
  });

  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: "1" }, false],
    [false, { FORCE_COLOR: "1" }, true],
    [true, { TERM: "dumb" }, false],
  ])("has colors on a terminal only: %j with %j", (isTTY, environment, expected) => {
    expect(hasColours({ isTTY }, environment)).toBe(expected);
  });
});
