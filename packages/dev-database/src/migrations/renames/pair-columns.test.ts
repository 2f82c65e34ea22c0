import { expect, it } from "vitest";
import { pairColumns } from "./pair-columns.js";

const columns = (text: string) =>
  text
    .split(" ")
    .filter(Boolean)
    .map((item) => {
      const [name = "", type] = item.split(":");
      return { name, type };
    });

it.each([
  ["title:text", "headline:text", "title>headline"],
  ["title:text", "price:numeric", ""],
  ["title:text price:numeric", "cost:numeric headline:text", "title>headline price>cost"],
  ["firstName:text lastName:text", "last_name:text first_name:text", "firstName>first_name lastName>last_name"],
  ["body:text title:text", "titleText:text", "title>titleText"],
  ["title:text", "label:text titleText:text", "title>titleText"],
  ["first:text last:text", "given:text family:text", ""],
  ["title:text", "name:text label:text", ""],
  ["title:text body:text", "name:text", ""],
  ["line1:text line2:text", "lineOne:text", ""],
  ["email:text note:text", "emailAddress:text comment:text", "email>emailAddress note>comment"],
  ["a:", "b:", ""],
  ["", "a:text", ""],
])("C73 the dropped columns %s and the added ones %s are the renames %s", (dropped, added, expected) => {
  const typed = (text: string) =>
    columns(text).map(({ name, type }) => ({ name, type: type === "" ? undefined : type }));
  const pairs = pairColumns(typed(dropped), typed(added));
  expect(pairs.map(({ from, to }) => `${from}>${to}`).join(" ")).toBe(expected);
});
