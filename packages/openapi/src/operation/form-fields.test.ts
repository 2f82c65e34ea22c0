import { expect, it } from "vitest";
import { SchemaCollector } from "../json-schema/schema-collector.js";
import { toFormFields } from "./form-fields.js";

const text = { type: "string" };

it("C47 names nested form fields in brackets, and requires them if all their parents are required", () => {
  const collector = new SchemaCollector(() => undefined);
  const address = collector.add("Address", {
    type: "object",
    properties: { city: text, place: { type: "object", properties: { x: text, y: text }, required: ["x"] } },
    required: ["city", "place"],
  });
  const schema = {
    type: "object",
    properties: { name: text, tags: { type: "array", items: text }, home: address, work: address },
    required: ["name", "home"],
  };
  expect(toFormFields(schema, collector)).toEqual({
    properties: {
      name: text,
      tags: { type: "array", items: text },
      "home[city]": text,
      "home[place][x]": text,
      "home[place][y]": text,
      "work[city]": text,
      "work[place][x]": text,
      "work[place][y]": text,
    },
    required: ["name", "home[city]", "home[place][x]"],
  });
});

it("C47 stops at a recursive schema", () => {
  const collector = new SchemaCollector(() => undefined);
  const node = { $ref: "#/components/schemas/Node" };
  collector.add("Node", { type: "object", properties: { name: text, next: node } });
  const { properties } = toFormFields(node, collector);
  expect(Object.keys(properties)).toContain("next[next][name]");
  expect(properties["next[next][next][next][next][next]"]).toEqual(node);
});
