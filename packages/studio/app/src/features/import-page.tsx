import { isApiError } from "@servicekit/client";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useModel, useModels } from "../api/discovery.js";
import { rows } from "../api/shop.js";
import { type ReadFile, type ReadLine, readCsv } from "../model/csv.js";
import { importsFiles, useApiDocument } from "../model/document.js";
import { formFields } from "../model/form-fields.js";
import type { ModelInfo } from "../model/model-info.js";
import { formatRowCount } from "../ui/format-row-count.js";
import { NotFound, Problem, Waiting } from "../ui/problem.js";

/** Rows per request: all of them are created, or none. */
const chunk = 100;
const shown = 20;

/** The result of a dry run by the service. */
interface Check {
  readonly file: Blob;
  readonly count?: number;
  readonly error?: unknown;
}

/**
 * Creates rows from a CSV file, after a dry run: by the service if it imports files of the model, otherwise in the page,
 * which sends nothing.
 */
export function ImportPage() {
  const { model: name } = useParams({ from: "/data/$model/import" });
  const models = useModels();
  const model = useModel(name);
  const document = useApiDocument();
  const queries = useQueryClient();
  const [file, setFile] = useState<ReadFile>();
  const [check, setCheck] = useState<Check>();
  const [made, setMade] = useState<number>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  if (models.isPending || document.isPending) return <Waiting />;
  if (model === undefined) return <NotFound />;
  const fields = formFields(document.data, model, "create");
  const read = async (given: File | undefined) => {
    setMade(undefined);
    setError(undefined);
    setFile(undefined);
    setCheck(undefined);
    if (given === undefined) return;
    try {
      // An invalid byte would be written as a replacement character.
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await given.arrayBuffer());
      const found = readCsv(text, fields, uniqueFields(model));
      setFile(found);
      const isReadable = found.lines.length > 0 && found.lines.every(({ issues }) => issues.length === 0);
      if (isReadable && importsFiles(document.data, model)) setCheck(await checkFile(model, text));
    } catch (failure) {
      setError(
        failure instanceof TypeError ? new Error("This file is not UTF-8 text. Save it as CSV UTF-8.") : failure,
      );
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
          .catch((failure: unknown) => {
            throw new Error(describeRejection(failure, part));
          });
        count += part.length;
        setMade(count);
      }
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
    await queries.invalidateQueries({ queryKey: ["rows"] });
  };
  const importChecked = async ({ file: checked }: Check) => {
    setBusy(true);
    setError(undefined);
    try {
      setMade((await rows.import(model, checked, false)).meta.count);
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
    await queries.invalidateQueries({ queryKey: ["rows"] });
  };
  const bad = file?.lines.filter(({ issues }) => issues.length > 0) ?? [];
  const isReady =
    check?.error === undefined &&
    file !== undefined &&
    file.lines.length > 0 &&
    bad.length === 0 &&
    file.doubled.length === 0;
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
        A CSV file with field names in its first line:{" "}
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
            {check?.count === undefined
              ? `${formatRowCount(file.lines.length)}, ${bad.length} with errors. Nothing was ${check === undefined ? "sent" : "written"}.`
              : `The service would create ${formatRowCount(check.count)}. Nothing was written.`}
          </p>
          <Problem error={check?.error} />
          <p className="dim" hidden={check !== undefined}>
            {document.data === null
              ? "You may not read the document of the service, so only types were checked. "
              : "Each row was checked against the schema of the document. "}
            Unique values, referenced rows and the rules of the service are checked when the rows are written, in
            batches of 100, each of which succeeds or fails as a whole.
          </p>
          {file.unknown.length > 0 && <p>Ignored columns that are not fields: {file.unknown.join(", ")}.</p>}
          {file.missing.length > 0 && <p className="error">Columns that are missing: {file.missing.join(", ")}.</p>}
          {file.doubled.length > 0 && <p className="error">Duplicate columns: {file.doubled.join(", ")}.</p>}
          <Lines lines={bad.length > 0 ? bad : file.lines} />
          <button
            type="button"
            className="primary"
            disabled={!isReady || isBusy || made === file.lines.length}
            onClick={() => void (check === undefined ? run(file.lines.slice(made ?? 0)) : importChecked(check))}
          >
            {isBusy ? "Importing…" : `Import ${formatRowCount(file.lines.length - (made ?? 0))}`}
          </button>
        </section>
      )}
      {made !== undefined && <p role="status">{made} rows were created.</p>}
      <Problem error={error} />
    </>
  );
}

/** @returns `undefined` if the file is too large for one request, and is imported in parts */
async function checkFile(model: ModelInfo, text: string): Promise<Check | undefined> {
  const file = new Blob([text], { type: "text/csv" });
  try {
    return { file, count: (await rows.import(model, file, true)).meta.count };
  } catch (error) {
    return isApiError(error) && error.status === 413 ? undefined : { file, error };
  }
}

/** The unique fields. */
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
            <th>Errors</th>
          </tr>
        </thead>
        <tbody>
          {lines.slice(0, shown).map(({ line, row, issues }) => (
            <tr key={line}>
              <td>{line}</td>
              <td>
                <code className="wide">{JSON.stringify(row)}</code>
              </td>
              <td className={issues.length > 0 ? "bad" : "dim"}>{issues.length > 0 ? issues.join("; ") : "none"}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length > shown && <p className="dim">and {lines.length - shown} more</p>}
    </div>
  );
}

/** The service names items by their index in the request; they are shown as lines of the file. */
function describeRejection(failure: unknown, lines: readonly ReadLine[]): string {
  if (!isApiError(failure)) return failure instanceof Error ? failure.message : String(failure);
  const places = failure.errors.map(({ path, message }) => {
    const [, at = "", ...rest] = path.split("/");
    const line = lines[Number(at)]?.line;
    return line === undefined || at === ""
      ? message
      : `line ${line}${rest.length > 0 ? `, ${rest.join("/")}` : ""}: ${message}`;
  });
  return [failure.message, ...places].join("\n");
}
