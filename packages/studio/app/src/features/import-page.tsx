import { isApiError } from "@servicekit/client";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useModel, useModels } from "../api/discovery.js";
import { rows } from "../api/shop.js";
import { type ReadFile, type ReadLine, readCsv } from "../model/csv.js";
import { useApiDocument } from "../model/document.js";
import { formFields } from "../model/form-fields.js";
import type { ModelInfo } from "../model/model-info.js";
import { NotHere, Problem, Waiting } from "../ui/problem.js";
import { sayRows } from "../ui/say-rows.js";

/** Rows that go in one request: all of them are made, or none. */
const chunk = 100;
const shown = 20;

/** Makes rows of a CSV file, after a dry run that sends nothing. */
export function ImportPage() {
  const { model: name } = useParams({ from: "/data/$model/import" });
  const models = useModels();
  const model = useModel(name);
  const document = useApiDocument();
  const queries = useQueryClient();
  const [file, setFile] = useState<ReadFile>();
  const [made, setMade] = useState<number>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  if (models.isPending || document.isPending) return <Waiting />;
  if (model === undefined) return <NotHere />;
  const fields = formFields(document.data, model, "create");
  const read = async (given: File | undefined) => {
    setMade(undefined);
    setError(undefined);
    setFile(undefined);
    if (given === undefined) return;
    try {
      // A byte that is no letter would be written as a question mark.
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await given.arrayBuffer());
      setFile(readCsv(text, fields, uniqueFields(model)));
    } catch (fault) {
      setError(fault instanceof TypeError ? new Error("This is no text in UTF-8: save the file as CSV UTF-8.") : fault);
    }
  };
  const run = async (lines: readonly ReadLine[]) => {
    setBusy(true);
    setError(undefined);
    let count = 0;
    try {
      for (let at = 0; at < lines.length; at += chunk) {
        const part = lines.slice(at, at + chunk);
        await rows
          .createMany(
            model,
            part.map(({ row }) => row),
          )
          .catch((fault: unknown) => {
            throw new Error(sayRefusal(fault, part));
          });
        count += part.length;
        setMade(count);
      }
    } catch (fault) {
      setError(fault);
    }
    setBusy(false);
    await queries.invalidateQueries({ queryKey: ["rows"] });
  };
  const bad = file?.lines.filter(({ faults }) => faults.length > 0) ?? [];
  const isReady = file !== undefined && file.lines.length > 0 && bad.length === 0 && file.doubled.length === 0;
  return (
    <>
      <p className="path">
        <Link to="/data/$model" params={{ model: name }}>
          {model.title}
        </Link>{" "}
        /
      </p>
      <h1>Import</h1>
      <p>
        A CSV file whose first line names fields:{" "}
        {fields.map((field) => (field.isRequired ? `${field.name} (required)` : field.name)).join(", ")}.
      </p>
      <label>
        CSV file
        <input type="file" accept=".csv,text/csv" onChange={({ target }) => void read(target.files?.[0])} />
      </label>
      {file !== undefined && (
        <section aria-label="Dry run">
          <h2>Dry run</h2>
          <p role="status">
            {sayRows(file.lines.length)}, {bad.length} with faults. Nothing was sent.
          </p>
          <p className="dim">
            {document.data === null
              ? "The document of the service is not open to you, so that types alone were checked. "
              : "Each row was held against the schema of the document. "}
            Whether a value is taken already, whether a row that is pointed at is there, and what else the service's own
            rules ask, it says when the rows are written: a hundred at a time, each hundred whole or not at all.
          </p>
          {file.unknown.length > 0 && <p>Columns that are no field, and are left out: {file.unknown.join(", ")}.</p>}
          {file.missing.length > 0 && <p className="fault">Columns that are missing: {file.missing.join(", ")}.</p>}
          {file.doubled.length > 0 && <p className="fault">Columns that stand twice: {file.doubled.join(", ")}.</p>}
          <Lines lines={bad.length > 0 ? bad : file.lines} />
          <button
            type="button"
            className="primary"
            disabled={!isReady || isBusy || made === file.lines.length}
            onClick={() => void run(file.lines.slice(made ?? 0))}
          >
            {isBusy ? "Importing…" : `Import ${sayRows(file.lines.length - (made ?? 0))}`}
          </button>
        </section>
      )}
      {made !== undefined && <p role="status">{made} rows were made.</p>}
      <Problem error={error} />
    </>
  );
}

/** The fields in which no two rows may be equal. */
const uniqueFields = (model: ModelInfo): readonly (readonly string[])[] => [
  ...model.fields.filter(({ unique }) => unique).map(({ name }) => [name]),
  ...(model.key.length > 1 ? [model.key] : []),
];

function Lines({ lines }: { readonly lines: readonly ReadLine[] }) {
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th>Line</th>
            <th>Row</th>
            <th>Faults</th>
          </tr>
        </thead>
        <tbody>
          {lines.slice(0, shown).map(({ line, row, faults }) => (
            <tr key={line}>
              <td>{line}</td>
              <td>
                <code className="wide">{JSON.stringify(row)}</code>
              </td>
              <td className={faults.length > 0 ? "bad" : "dim"}>{faults.length > 0 ? faults.join("; ") : "none"}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length > shown && <p className="dim">and {lines.length - shown} more</p>}
    </div>
  );
}

/** The service names items by their place in the request: they are told as lines of the file. */
function sayRefusal(fault: unknown, lines: readonly ReadLine[]): string {
  if (!isApiError(fault)) return fault instanceof Error ? fault.message : String(fault);
  const places = fault.errors.map(({ path, message }) => {
    const [, at = "", ...rest] = path.split("/");
    const line = lines[Number(at)]?.line;
    return line === undefined || at === ""
      ? message
      : `line ${line}${rest.length > 0 ? `, ${rest.join("/")}` : ""}: ${message}`;
  });
  return [fault.message, ...places].join("\n");
}
