import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { type Question, type Row, type RowTotal, rows } from "../api/shop.js";
import { documentQuery, exportsFiles } from "../model/document.js";
import type { FieldInfo, ModelInfo } from "../model/model-info.js";
import { download } from "../ui/download.js";
import { formatTotal } from "../ui/format-row-count.js";
import { Popup } from "../ui/popup.js";
import { Problem } from "../ui/problem.js";

interface ExportProps {
  readonly model: ModelInfo;
  readonly question: Question;
  readonly columns: readonly FieldInfo[];
  readonly total: RowTotal | undefined;
}

const limit = 100;

/**
 * Exports the rows that match the filters to a file with the columns of the table: as one response if the service exports
 * files of the model, otherwise page by page.
 */
export function Export({ model, question, columns, total }: ExportProps) {
  const [done, setDone] = useState<string>();
  const [error, setError] = useState<unknown>();
  const stop = useRef(false);
  const queries = useQueryClient();
  const abort = useRef<AbortController>(undefined);

  /** The parts of a file that the service writes. */
  const readFile = async (): Promise<readonly BlobPart[]> => {
    abort.current = new AbortController();
    const fields = columns.map(({ name }) => name);
    const reader = (await rows.export(model, { ...question, fields }, abort.current.signal)).getReader();
    const parts: BlobPart[] = [];
    let bytes = 0;
    for (;;) {
      const { done: isOver, value } = await reader.read();
      if (isOver) return parts;
      parts.push(value as BlobPart);
      bytes += value.length;
      setDone(`${Math.ceil(bytes / 1024).toLocaleString("en")} kB`);
    }
  };

  const run = async (form: "csv" | "json") => {
    stop.current = false;
    setError(undefined);
    const ofTotal = total?.total === undefined ? "" : `of ${formatTotal(total)} `;
    setDone(`0 ${ofTotal}rows`);
    try {
      if (form === "csv" && exportsFiles(await queries.ensureQueryData(documentQuery), model)) {
        download(`${model.name}.csv`, "text/csv", ["\ufeff", ...(await readFile())]);
        return setDone(undefined);
      }
      const { toCsv } = await import("../model/csv.js");
      const parts: string[] = [];
      let written = 0;
      // An export is sorted by the key, which every cursor supports.
      const { sort: _sort, ...rest } = question;
      let cursor: string | null | undefined = "";
      do {
        const page: Awaited<ReturnType<typeof rows.list>> = await rows.list(model, {
          ...rest,
          fields: columns.map(({ name }) => name),
          limit,
          cursor,
        });
        parts.push(form === "csv" ? toCsv(columns, page.data, written === 0) : page.data.map(asLine).join(""));
        written += page.data.length;
        setDone(`${written.toLocaleString("en")} ${ofTotal}rows`);
        cursor = page.meta.nextCursor;
      } while (cursor && !stop.current);
      if (stop.current) return setDone(undefined);
      const name = `${model.name}.${form}`;
      if (form === "csv") download(name, "text/csv", ["\ufeff", ...parts]);
      else download(name, "application/json", [`[${parts.join("").replace(/,\n$/, "\n")}]\n`]);
    } catch (failure) {
      if (!stop.current) setError(failure);
    }
    setDone(undefined);
  };

  if (done !== undefined)
    return (
      <span className="row" role="status">
        {done}
        <button
          type="button"
          onClick={() => {
            stop.current = true;
            abort.current?.abort();
          }}
        >
          Stop
        </button>
      </span>
    );
  return (
    <>
      <Problem error={error} />
      <Popup label="Export" legend="Export">
        <button type="button" onClick={() => void run("csv")}>
          CSV
        </button>
        <button type="button" onClick={() => void run("json")}>
          JSON
        </button>
      </Popup>
    </>
  );
}

const asLine = (row: Row): string => `${JSON.stringify(row)},\n`;
