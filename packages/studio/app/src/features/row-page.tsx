import { isApiError } from "@servicekit/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useModel, useModels } from "../api/discovery.js";
import { type Row, rows, stateOf } from "../api/shop.js";
import { useApiDocument } from "../model/document.js";
import { type Draft, type FormField, isFiles, rowFields, toInput, toSent } from "../model/form-fields.js";
import { type FieldInfo, labelOf, type ModelInfo, readKey, toTitle, writeKey } from "../model/model-info.js";
import { Dialog } from "../ui/dialog.js";
import { NotFound, Problem, Waiting } from "../ui/problem.js";
import { Value } from "../ui/value.js";
import { Conflict } from "./conflict.js";
import { Deleted } from "./deleted.js";
import { RelatedRows } from "./related-rows.js";
import { RowForm } from "./row-form.js";
import { RowHistory } from "./row-history.js";
import { WebhookActions } from "./webhook-actions.js";
import { WebhookDeliveries } from "./webhook-deliveries.js";
import "./row-page.css";

/** One row: its fields, its form, and its relations as tabs. */
export function RowPage() {
  const { model: name, key } = useParams({ from: "/data/$model/row/$key" });
  const models = useModels();
  const model = useModel(name);
  if (models.isPending) return <Waiting />;
  if (model === undefined) return <NotFound />;
  return <OneRow key={`${name}/${key}`} model={model} models={models.data ?? []} segment={key} />;
}

/** A row with the version in which it was read: a form changes only that version. */
export interface SeenRow {
  readonly row: Row;
  readonly state: string | false;
  /** Whether it is deleted, and can be restored. */
  readonly isDeleted?: boolean;
}

export async function readRow(model: ModelInfo, key: readonly unknown[]): Promise<SeenRow> {
  const path = `${model.path}/${writeKey(key)}`;
  try {
    const row = await rows.read(model, key);
    return { row, state: stateOf(path) };
  } catch (error) {
    if (!isApiError(error) || error.status !== 404 || !model.may("findDeleted")) throw error;
    const row = await rows.read(model, key, { deleted: "only" });
    return { row, state: stateOf(`${path}?deleted=only`), isDeleted: true };
  }
}

/** No field has this name. */
const historyTab = "history!";
const deliveriesTab = "deliveries!";

interface OneRowProps {
  readonly model: ModelInfo;
  readonly models: readonly ModelInfo[];
  readonly segment: string;
}

function OneRow({ model, models, segment }: OneRowProps) {
  const key = readKey(segment);
  const seen = useQuery<SeenRow>({
    queryKey: ["rows", model.name, "one", segment],
    queryFn: () => readRow(model, key),
  });
  const [tab, setTab] = useState("");
  /** The field that is edited first, or "" for the form; `undefined` while the row is only shown. */
  const [edited, setEdited] = useState<string>();
  const [isDeleting, setDeleting] = useState(false);
  if (seen.isPending) return <Waiting />;
  // A key of another format does not identify a row either.
  if (isApiError(seen.error) && [400, 404].includes(seen.error.status)) return <NotFound what="row" />;
  if (seen.data === undefined)
    return (
      <>
        <h1>{model.title}</h1>
        <Problem error={seen.error} />
      </>
    );
  const { row, isDeleted = false } = seen.data;
  const relations = model.fields.filter(
    ({ kind, list, relation }) =>
      kind === "relation" && list && models.some((each) => each.name === relation && each.may("findMany")),
  );
  const tabs = [
    ["", "Fields"],
    ...relations.map((each) => [each.name, each.title]),
    ...(model.may("history") ? [[historyTab, "History"]] : []),
    ...(model.may("findDeliveries") ? [[deliveriesTab, "Deliveries"]] : []),
  ] as const;
  const chosen = model.field(tab);
  return (
    <>
      <p className="path">
        <Link to="/data/$model" params={{ model: model.name }}>
          {model.title}
        </Link>{" "}
        /
      </p>
      <div className="row head">
        <h1>{labelOf(model, row)}</h1>
        <span className="dim">{key.join(", ")}</span>
        <span className="grow" />
        {isDeleted && <Deleted model={model} keyValues={key} row={row} state={seen.data.state} />}
        {!isDeleted && (model.may("findDeliveries") || model.may("rotateSecret")) && (
          <WebhookActions model={model} keyValues={key} row={row} state={seen.data.state} />
        )}
        {!isDeleted && model.may("updateOne") && edited === undefined && (
          <button
            type="button"
            onClick={() => {
              setTab("");
              setEdited("");
            }}
          >
            Edit
          </button>
        )}
        {!isDeleted && model.may("deleteOne") && (
          <button type="button" className="danger" onClick={() => setDeleting(true)}>
            Delete
          </button>
        )}
      </div>
      <div role="tablist" aria-label="Parts of the row" className="tabs">
        {tabs.map(([id = "", title]) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-selected={tab === id}
            aria-controls="tab-panel"
            onClick={() => setTab(id)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${tab}`}>
        {tab === "" && edited === undefined && (
          <Fields
            model={model}
            models={models}
            row={row}
            onEdit={!isDeleted && model.may("updateOne") ? setEdited : undefined}
          />
        )}
        {/* Changes are preserved while other tabs are visited. */}
        {edited !== undefined && (
          <div hidden={tab !== ""}>
            <Change
              model={model}
              keyValues={key}
              seen={seen.data}
              firstField={edited}
              onClose={() => setEdited(undefined)}
            />
          </div>
        )}
        {tab === historyTab && <RowHistory model={model} keyValues={key} state={seen.data.state} />}
        {tab === deliveriesTab && <WebhookDeliveries model={model} keyValues={key} />}
        {chosen !== undefined && (
          <RelatedRows model={model} models={models} relation={chosen} row={row} keyValues={key} />
        )}
      </div>
      {isDeleting && <Delete model={model} keyValues={key} seen={seen.data} onClose={() => setDeleting(false)} />}
    </>
  );
}

interface FieldsProps {
  readonly model: ModelInfo;
  readonly models: readonly ModelInfo[];
  readonly row: Row;
  /** Opens the form at a field. */
  readonly onEdit: ((name: string) => void) | undefined;
}

function Fields({ model, models, row, onEdit }: FieldsProps) {
  const document = useApiDocument();
  const writable = new Set(rowFields(document.data, model, "update").map(({ name }) => name));
  return (
    <dl className="values">
      {model.fields
        .filter(({ kind, name }) => kind !== "relation" && name in row)
        .map((field) => (
          <div key={field.name}>
            <dt>{field.title}</dt>
            <dd>
              <div>
                <Value field={field} value={row[field.name]} isWhole />
                <Leads field={field} models={models} value={row[field.name]} />
              </div>
              {onEdit !== undefined && !document.isPending && writable.has(field.name) && (
                <button type="button" className="quiet small edit" onClick={() => onEdit(field.name)}>
                  Edit<span className="hidden"> {field.title}</span>
                </button>
              )}
            </dd>
          </div>
        ))}
    </dl>
  );
}

/** A foreign key links to its row. */
function Leads({
  field,
  models,
  value,
}: {
  readonly field: FieldInfo;
  readonly models: readonly ModelInfo[];
  readonly value: unknown;
}) {
  const target = models.find(({ name, may }) => name === field.keyOf?.relation && may("findOne"));
  const pointed = field.keyOf?.references?.[field.name];
  if (
    target === undefined ||
    value === null ||
    value === undefined ||
    target.key.length !== 1 ||
    target.key[0] !== pointed
  )
    return null;
  return (
    <Link className="leads" to="/data/$model/row/$key" params={{ model: target.name, key: writeKey([value]) }}>
      {toTitle(field.keyOf?.name ?? "")} →
    </Link>
  );
}

interface ChangeProps {
  readonly model: ModelInfo;
  readonly keyValues: readonly string[];
  readonly seen: SeenRow;
  readonly firstField: string;
  readonly onClose: () => void;
}

const toDraft = (fields: readonly FormField[], row: Row): Draft =>
  Object.fromEntries(fields.map((field) => [field.name, toInput(field, row[field.name])]));
// A file has no JSON form and never equals the stored value.
const isEqual = (a: unknown, b: unknown): boolean => !isFiles(a) && JSON.stringify(a) === JSON.stringify(b);

function Change({ model, keyValues, seen, firstField, onClose }: ChangeProps) {
  const document = useApiDocument();
  const [base, setBase] = useState(seen);
  const [draft, setDraft] = useState<Draft>();
  const [conflict, setConflict] = useState<{ readonly mine: Row; readonly now: SeenRow }>();
  const queries = useQueryClient();
  const fields = document.isPending ? [] : rowFields(document.data, model, "update");
  // The first draft is the row, as soon as its fields are known.
  useEffect(() => {
    if (!document.isPending && draft === undefined)
      setDraft(toDraft(rowFields(document.data, model, "update"), base.row));
  }, [document, draft, model, base]);
  if (draft === undefined) return <Waiting />;
  const original = toDraft(fields, base.row);
  const changed = Object.fromEntries(Object.entries(draft).filter(([name, value]) => !isEqual(value, original[name])));

  const write = async (body: Row, state: string | false) => {
    await rows.update(model, keyValues, toSent(body, fields), state);
    setConflict(undefined);
    await queries.invalidateQueries({ queryKey: ["rows"] });
    onClose();
  };
  const save = async (body: Row) => {
    const mine = Object.fromEntries(Object.entries(body).filter(([name]) => name in changed));
    if (Object.keys(mine).length === 0) return onClose();
    try {
      await write(mine, base.state);
    } catch (error) {
      if (!isApiError(error) || error.status !== 412) throw error;
      setConflict({ mine, now: await readRow(model, keyValues) });
    }
  };
  return (
    <>
      <RowForm
        fields={fields}
        draft={draft}
        onDraft={setDraft}
        onSave={save}
        words="Save"
        isTouched={Object.keys(changed).length > 0}
        onCancel={onClose}
        firstField={firstField}
      />
      {conflict !== undefined && (
        <Conflict
          model={model}
          before={base.row}
          mine={conflict.mine}
          now={conflict.now.row}
          onOwn={() => write(conflict.mine, conflict.now.state)}
          onOther={() => {
            setBase(conflict.now);
            setDraft(toDraft(fields, conflict.now.row));
            setConflict(undefined);
          }}
          onClose={() => setConflict(undefined)}
        />
      )}
    </>
  );
}

interface DeleteProps {
  readonly model: ModelInfo;
  readonly keyValues: readonly string[];
  readonly seen: SeenRow;
  readonly onClose: () => void;
}

function Delete({ model, keyValues, seen, onClose }: DeleteProps) {
  const [error, setError] = useState<unknown>();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = async () => {
    try {
      await rows.delete(model, keyValues, seen.state);
    } catch (failure) {
      return setError(failure);
    }
    await navigate({ to: "/data/$model", params: { model: model.name } });
    await queries.invalidateQueries({ queryKey: ["rows"] });
  };
  return (
    <Dialog title="Delete this row?" onClose={onClose}>
      <p>
        <strong>{labelOf(model, seen.row)}</strong> of {model.title} will be deleted, including the rows that the schema
        deletes with it.
      </p>
      <Problem error={error} />
      <div className="row end">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="danger" onClick={() => void remove()}>
          Delete
        </button>
      </div>
    </Dialog>
  );
}
