import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Row, rows } from "../api/shop.js";
import { useApiDocument } from "../model/document.js";
import { type Clause, completeClauses, describeClause, toWhere } from "../model/filter.js";
import { type Draft, type FormField, formFields, readDraft } from "../model/form-fields.js";
import { type ModelInfo, writeKey } from "../model/model-info.js";
import { Dialog } from "../ui/dialog.js";
import { formatRowCount } from "../ui/format-row-count.js";
import { Problem, Waiting } from "../ui/problem.js";
import { FieldInput } from "./inputs.js";
import "./bulk-actions.css";

interface BulkProps {
  readonly model: ModelInfo;
  readonly clauses: readonly Clause[];
  readonly search: string | undefined;
  readonly selected: readonly (readonly unknown[])[];
  readonly onDone: () => void;
}

type Act = "change" | "delete";

/** Updates or deletes the selected rows, or those that match the filters; shows the number first. */
export function BulkActions({ model, clauses, search, selected, onDone }: BulkProps) {
  const [act, setAct] = useState<Act>();
  const where = toWhere(clauses);
  // The service accepts neither a search nor an empty filter as a criterion.
  const isOpen = selected.length > 0 || (where !== undefined && search === undefined);
  const mayChange = model.may("updateMany");
  const mayDelete = model.may("deleteMany");
  if (!isOpen || !(mayChange || mayDelete)) return null;
  return (
    <div className="row bulk">
      <span>{selected.length > 0 ? `${selected.length} selected` : "All rows that match the filters"}</span>
      {mayChange && (
        <button type="button" onClick={() => setAct("change")}>
          Change…
        </button>
      )}
      {mayDelete && (
        <button type="button" className="danger" onClick={() => setAct("delete")}>
          Delete…
        </button>
      )}
      {act !== undefined && (
        <BulkDialog
          model={model}
          clauses={clauses}
          selected={selected}
          act={act}
          onClose={() => setAct(undefined)}
          onDone={onDone}
        />
      )}
    </div>
  );
}

interface BulkDialogProps extends Omit<BulkProps, "search"> {
  readonly act: Act;
  readonly onClose: () => void;
}

function BulkDialog({ model, clauses, selected, act, onClose, onDone }: BulkDialogProps) {
  const queries = useQueryClient();
  const document = useApiDocument(act === "change");
  const [draft, setDraft] = useState<Draft>({});
  const [error, setError] = useState<unknown>();
  const [done, setDone] = useState<number>();
  const where = toWhere(clauses);
  const isBySelection = selected.length > 0;
  const count = useQuery({
    queryKey: ["rows", model.name, "criterion", where, isBySelection ? selected.length : "filter"],
    gcTime: 0,
    queryFn: async () =>
      isBySelection || where === undefined
        ? selected.length
        : ((await rows.list(model, { where, limit: 1, count: "exact" })).meta.total ?? 0),
  });
  const fields = act === "change" && !document.isPending ? formFields(document.data, model, "update") : [];

  const run = async () => {
    setError(undefined);
    const { body, issues } = readDraft(fields, draft);
    if (issues.size > 0)
      return setError(new Error([...issues].map(([name, failure]) => `${name} ${failure}`).join("; ")));
    try {
      const response = await write(body);
      setDone(response.meta.count);
      await queries.invalidateQueries({ queryKey: ["rows"] });
    } catch (failure) {
      setError(failure);
    }
  };
  const write = (body: Row) => {
    if (act === "delete") return rows.deleteMany(model, isBySelection ? { keys: selected } : { where: where ?? {} });
    // A composite id is sent in its path format.
    const idOf = (key: readonly unknown[]) => (key.length === 1 ? key[0] : writeKey(key));
    return rows.updateMany(
      model,
      isBySelection ? selected.map((key) => ({ id: idOf(key), ...body })) : { where: where ?? {}, data: body },
    );
  };
  const close = () => {
    if (done !== undefined) onDone();
    onClose();
  };
  const word = act === "delete" ? "Delete" : "Change";
  return (
    <Dialog title={`${word} several rows of ${model.title.toLowerCase()}`} onClose={close}>
      {done !== undefined ? (
        <p role="status">
          {done} rows were {act === "delete" ? "deleted" : "changed"}.
        </p>
      ) : (
        <>
          {isBySelection ? (
            <p>The selected rows.</p>
          ) : (
            <ul className="criterion">
              {completeClauses(clauses).map((clause) => (
                <li key={clause.join()}>{describeClause(model, clause)}</li>
              ))}
            </ul>
          )}
          <p>
            {count.data === undefined
              ? "Counting…"
              : `Matches ${formatRowCount(count.data)}. Either all of them are ${act === "delete" ? "deleted" : "changed"}, or none.`}
          </p>
          {act === "change" &&
            (document.isPending ? <Waiting /> : <Changes fields={fields} draft={draft} onDraft={setDraft} />)}
          <Problem error={count.error ?? error} />
        </>
      )}
      <div className="row end">
        <button type="button" onClick={close}>
          {done === undefined ? "Cancel" : "Close"}
        </button>
        {done === undefined && (
          <button
            type="button"
            className={act === "delete" ? "danger" : "primary"}
            disabled={!count.data || (act === "change" && Object.keys(draft).length === 0)}
            onClick={() => void run()}
          >
            {word} {count.data === undefined ? "rows" : formatRowCount(count.data)}
          </button>
        )}
      </div>
    </Dialog>
  );
}

/** The initial value of an input, which is sent if it is not changed. */
function firstValue(field: FormField | undefined): unknown {
  if (field?.isList) return [];
  if (field?.kind !== "boolean" && field?.kind !== "enum") return "";
  return field.isNullable ? null : field.kind === "boolean" ? true : (field.values[0] ?? "");
}

interface ChangesProps {
  readonly fields: readonly FormField[];
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
}

/** The fields to set for all rows. */
function Changes({ fields, draft, onDraft }: ChangesProps) {
  const chosen = fields.filter(({ name }) => name in draft);
  return (
    <>
      {chosen.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={draft[field.name]}
          issue={undefined}
          onChange={(value) => onDraft({ ...draft, [field.name]: value ?? null })}
        />
      ))}
      <label className="inline">
        Set
        <select
          aria-label="Field to set"
          value=""
          onChange={({ target }) =>
            onDraft({ ...draft, [target.value]: firstValue(fields.find(({ name }) => name === target.value)) })
          }
        >
          <option value="">a field…</option>
          {fields
            .filter(({ name }) => !(name in draft))
            .map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
        </select>
      </label>
    </>
  );
}
