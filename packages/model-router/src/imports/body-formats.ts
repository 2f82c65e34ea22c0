import { type BodyFormat, makeJsonTextReader, readJsonLines, setIssuePlaces } from "@servicekit/router/internal";
import type { WritableModel } from "../resource/body/writable-model.js";
import { modelErrors } from "../resource/errors.js";
import type { ModelRoutes } from "../steps/route-source.js";
import { placesIn } from "./places.js";
import { readCsv, withoutRows } from "./read-csv.js";

/**
 * The formats of a bulk create besides JSON (contract C104): CSV and newline-delimited JSON. They become a list of items, as
 * JSON would contain them; errors name their lines.
 */
export function bodyFormats({ resource, source }: ModelRoutes): readonly BodyFormat[] {
  const { writables } = source;
  const { bulkItems: max } = resource;
  const writable = writables.get(resource.model.name) as WritableModel;
  return [
    {
      type: "text/csv",
      read: (bytes, request, maxValues) => {
        const reading = { writables, parseJson: makeJsonTextReader(maxValues) };
        return readCsv(bytes, writable, reading, max, ({ items, header }) =>
          setIssuePlaces(request, placesIn(items, header)),
        );
      },
    },
    {
      type: "application/x-ndjson",
      read: async (bytes, request, maxValues) => {
        const tooMany = (what: string) =>
          modelErrors.BulkTooLarge(`The file has more than ${max} ${what}, the maximum.`);
        const { values, lines } = await readJsonLines(bytes, { values: maxValues, lines: max, tooMany });
        if (values.length === 0) throw withoutRows();
        setIssuePlaces(request, placesIn(lines));
        return values;
      },
    },
  ];
}
