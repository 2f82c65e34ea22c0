import type { StoredField } from "@servicekit/prisma";
import { expect, it } from "vitest";
import { fieldExample } from "./field-example.js";

const example = (name: string, model: string, maxCharacters?: number): unknown =>
  fieldExample(
    {
      ...{ name, kind: "scalar", type: "String", isList: false, isRequired: true },
      ...(maxCharacters === undefined ? {} : { nativeType: { name: "VarChar", args: [String(maxCharacters)] } }),
    } as unknown as StoredField,
    model,
  );

it("names the model in an example of a name or a title", () => {
  expect(example("name", "Tag")).toBe("Example tag");
  expect(example("title", "BlogPost")).toBe("Example blog post");
  expect(example("slug", "BlogPost")).toBe("example-blog-post");
});

it("names the field and the model in an example of a long text", () => {
  expect(example("description", "OrderItem")).toBe("Description of the order item");
});

it("gives no example that is longer than the column", () => {
  expect(example("name", "BlogPost", 12)).toBe("Name");
  expect(example("description", "BlogPost", 4)).toBe("Desc");
});
