import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { DtoClass, OutputOf, Schema, ZodSchema } from "../../src/validation/schema.js";

class NoteDto {
  text = "";
}
const note = z.object({ text: z.string().transform(Number) });

describe("OutputOf", () => {
  it("is the output of a Zod schema, an instance of a class, and unknown without either", () => {
    expectTypeOf<OutputOf<typeof note>>().toEqualTypeOf<{ text: number }>();
    expectTypeOf<OutputOf<typeof NoteDto>>().toEqualTypeOf<NoteDto>();
    expectTypeOf<OutputOf<undefined>>().toBeUnknown();
  });

  it("accepts every schema type", () => {
    expectTypeOf(note).toExtend<ZodSchema<{ text: number }>>();
    expectTypeOf(NoteDto).toExtend<DtoClass<NoteDto>>();
    expectTypeOf<typeof note | typeof NoteDto>().toExtend<Schema>();
  });
});
