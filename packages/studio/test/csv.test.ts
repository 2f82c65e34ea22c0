import { describe, expect, it } from "vitest";
import { readCsv, toCsv } from "../app/src/model/csv.js";
import { formFields } from "../app/src/model/form-fields.js";
import { document, item } from "./shop-models.js";

describe("C76 CSV of the studio", () => {
  const columns = item.fields.filter(({ name }) => ["price", "note"].includes(name));

  it("writes no formula, and reads its own output", () => {
    const hostile = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://x","y")'];
    const csv = toCsv(
      columns,
      hostile.map((note) => ({ price: "-1.50", note })),
      true,
    );
    for (const text of hostile.filter((text) => !/\s=/.test(text)))
      expect(csv).toContain(`'${text.replaceAll('"', '""')}`);
    expect(csv).not.toMatch(/(^|,|\n)"?[=+@\t]/);
    expect(csv).toContain("-1.50");
    const plain = toCsv(columns, [{ price: "1", note: 'a "b", c\nd' }], true);
    expect(readCsv(`${plain}2,=1+1\r\n`, formFields(document, item, "create")).lines.map(({ row }) => row)).toEqual([
      { price: "1", note: 'a "b", c\nd' },
      { price: "2", note: "=1+1" },
    ]);
  });

  it.each([
    ...[
      "=1+1",
      "+1+1",
      "-1+1",
      "@A1",
      "＝1+1",
      "＋1",
      "－1+1",
      "＠A1",
      "\t=1",
      "\r=1",
      "\n=1",
      "\tx",
      "\rx",
      " =1",
      "'=1",
      "''=1",
    ],
    ...[";=1+1", "a;=1+1", "a; ＝1", "a;'=1", "a\n=1+1", "a\r\n@A1", "a\t-1+1", ";;=1", "\u3000=1", "a;\u00a0=1"],
  ])("writes %j so that no spreadsheet runs it, whatever the separator, and reads it back", (note) => {
    const csv = toCsv(columns, [{ price: "1", note }], true);
    // Every cell that a spreadsheet may find with any separator, with and without quotes.
    const cells = csv.split(/[,;\t\r\n]/).map((cell) => cell.replace(/^[\s"]+/, ""));
    for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@＝＋－＠]/);
    const [line] = readCsv(csv, formFields(document, item, "create")).lines;
    expect(line?.row.note).toBe(note);
  });

  it("reads every short text back", () => {
    const signs = ["'", "=", ";", "\t", " ", "a", "-", "1", "\n", "\r"];
    let texts = [""];
    for (let length = 1; length <= 4; length++) {
      texts = texts.flatMap((text) => signs.map((sign) => text + sign));
      const notes = texts.filter((text) => text.trim() !== "");
      const csv = toCsv(
        columns,
        notes.map((note) => ({ price: "1", note })),
        true,
      );
      const { lines } = readCsv(csv, formFields(document, item, "create"));
      expect(lines.map(({ row }) => row.note)).toEqual(notes);
    }
  });

  it("finds errors of the schema before anything is sent", () => {
    const text = "orderId,price,note,tags,colour\n1,2.50,abc,x,red\n101,2.505,abcdef,,blue\nx,,,,\n";
    const read = readCsv(text, formFields(document, item, "create"));
    expect(read.unknown).toEqual(["colour"]);
    expect(read.lines[0]).toEqual({
      line: 2,
      row: { orderId: 1, price: "2.50", note: "abc", tags: ["x"] },
      issues: [],
    });
    expect(read.lines[1]?.issues).toEqual([
      "orderId must be at most 100",
      "price does not match the schema",
      "note has more than 5 characters",
    ]);
    expect(read.lines[2]?.issues).toContain("price is required");
  });
});

describe("C76 the dry run of an import", () => {
  const fields = formFields(document, item, "create");
  const issuesOf = (text: string) => readCsv(text, fields).lines.map(({ line, issues }) => [line, ...issues]);

  it("counts the lines of the file, including blank lines and texts of several lines", () => {
    const text = 'orderId,price,note\r\n1,1,"a\r\nb"\r\n\r\n2,x,y\r\n,,\r\n3,1\r\n4,1,c,d\r\n';
    expect(issuesOf(text)).toEqual([
      [2],
      [5, "price must be a number, such as 19.90"],
      [6, "orderId is required", "price is required"],
      [7, "has 2 cells instead of 3"],
      [8, "has 4 cells instead of 3"],
    ]);
  });

  it("counts a row without values, and skips blank lines", () => {
    const rowsOf = (text: string) => readCsv(text, fields).lines.map(({ line, row }) => [line, row]);
    expect(rowsOf("note,day\r\n,\r\n\r\n \r\n ,\r\n")).toEqual([
      [2, {}],
      [5, { note: " " }],
    ]);
    expect(rowsOf("\r\nnote\r\n\r\na\r\n \r\n")).toEqual([
      [3, {}],
      [4, { note: "a" }],
      [5, { note: " " }],
    ]);
    expect(rowsOf("orderId\n\n1\n\n")).toEqual([[3, { orderId: 1 }]]);
  });

  it("finds unterminated texts, duplicate columns, and rows that violate a unique field", () => {
    expect(issuesOf('orderId,price\n1,1\n2,"1\n3,1\n').at(-1)?.[0]).toBe(3);
    expect(issuesOf('orderId,price\n1,1\n2,"1\n3,1\n').at(-1)?.[1]).toMatch(/[Qq]uote/);
    expect(readCsv("orderId,price,price\n1,1,2\n", fields).doubled).toEqual(["price"]);
    const text = "orderId,price,note\n1,1,a\n1,2,\n2,1,a\n2,2,\n";
    const unique = [["orderId", "price"], ["note"]];
    expect(readCsv(text, fields, unique).lines.map(({ issues }) => issues)).toEqual([
      [],
      [],
      ["note is the same as in line 2"],
      [],
    ]);
    expect(readCsv(`${text}1,2,b\n`, fields, unique).lines.at(-1)?.issues).toEqual([
      "orderId, price is the same as in line 3",
    ]);
    expect(readCsv("", fields)).toMatchObject({ lines: [], unknown: [] });
  });

  it.each([
    ["orderId", "9007199254740993", "orderId must be an integer"],
    ["orderId", "0x10", "orderId must be an integer"],
    ["orderId", "1.5", "orderId must be an integer"],
    ["day", "March 7", "day must be a date, such as 2026-01-31"],
    ["day", "2026-02-30", "day must be a date, such as 2026-01-31"],
    ["tags", '["a",1', expect.stringMatching(/^tags .*JSON/)],
    ["note", "abcdef", "note has more than 5 characters"],
  ])("rejects %s %s like the service", (name, value, issue) => {
    const cells: Record<string, string> = { orderId: "1", price: "1", [name]: value };
    const line = (texts: readonly string[]) => texts.map((text) => `"${text.replaceAll('"', '""')}"`).join(",");
    const text = `${line(Object.keys(cells))}\n${line(Object.values(cells))}\n`;
    expect(readCsv(text, fields).lines[0]?.issues).toEqual([issue]);
  });
});
