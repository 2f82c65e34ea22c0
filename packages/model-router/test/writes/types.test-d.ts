import { expectTypeOf, it } from "vitest";
import { makeRowWriter, type RowWriter, type RowWriterSettings } from "../../src/writes/row-writer.js";

interface Asker {
  readonly name: string;
}

it("checks access of the source that requests the writes", () => {
  const make = (settings: RowWriterSettings<Asker>) => makeRowWriter(settings);
  expectTypeOf(make).returns.toEqualTypeOf<RowWriter<Asker>>();
  expectTypeOf<Parameters<RowWriter<Asker>["create"]>[0]>().toEqualTypeOf<Asker>();
  expectTypeOf<Parameters<RowWriterSettings<Asker>["rightsOf"]>>().toEqualTypeOf<[requester: Asker]>();
});
