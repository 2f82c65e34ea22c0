import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type HistoryEntry, type Row, rows } from "../api/shop.js";
import { type ModelInfo, toTitle, writeKey } from "../model/model-info.js";
import { Dialog } from "../ui/dialog.js";
import { PageButtons } from "../ui/page-buttons.js";
import { Problem, Waiting } from "../ui/problem.js";
import { formatDate, Value } from "../ui/value.js";
import "./row-history.css";

interface RowHistoryProps {
  readonly model: ModelInfo;
  readonly keyValues: readonly string[];
  /** The version in which the row was read. */
  readonly state: string | false;
}

const limit = 10;

const words = { create: "Created", update: "Changed", delete: "Deleted" } as const;

/** The state that a change can restore: of a delete, the one before it. */
const restorable = ({ operation, before, after }: HistoryEntry): Row | null =>
  operation === "delete" ? before : after;

/** The changes of a row, the latest first: who made them, when, and the fields before and after. */
export function RowHistory({ model, keyValues, state }: RowHistoryProps) {
  const [page, setPage] = useState(1);
  const [chosen, setChosen] = useState<HistoryEntry>();
  const [left, setLeft] = useState<readonly string[]>([]);
  const { data, error } = useQuery({
    queryKey: ["rows", model.name, "history", writeKey(keyValues), page],
    queryFn: () => rows.history(model, keyValues, { page, limit }),
    placeholderData: keepPreviousData,
  });
  if (data === undefined) return error === null ? <Waiting /> : <Problem error={error} />;
  if (data.data.length === 0 && page === 1) return <p className="dim">No changes are recorded.</p>;
  const mayRestore = model.may("restoreState");
  return (
    <>
      <Problem error={error} />
      {left.length > 0 && (
        <p role="status">The state is restored, except for fields that you may not change: {left.join(", ")}.</p>
      )}
      <ol className="history" aria-label="Changes">
        {data.data.map((entry, at) => (
          <li key={entry.id}>
            <div className="row">
              <strong>{words[entry.operation]}</strong>
              <span>{entry.actor}</span>
              <time className="dim" dateTime={entry.time}>
                {formatDate(entry.time)}
              </time>
              <span className="grow" />
              {mayRestore && (page > 1 || at > 0) && restorable(entry) !== null && (
                <button type="button" className="small" onClick={() => setChosen(entry)}>
                  Restore this state
                </button>
              )}
            </div>
            <Differences model={model} entry={entry} />
          </li>
        ))}
      </ol>
      <div className="row pager">
        <PageButtons
          onPrevious={page === 1 ? undefined : () => setPage(page - 1)}
          onNext={data.meta.hasMore ? () => setPage(page + 1) : undefined}
        >
          <span>Page {page}</span>
        </PageButtons>
      </div>
      {chosen !== undefined && (
        <Restore
          model={model}
          keyValues={keyValues}
          state={state}
          entry={chosen}
          onDone={(notWritable) => {
            setLeft(notWritable.map(toTitle));
            setPage(1);
            setChosen(undefined);
          }}
          onClose={() => setChosen(undefined)}
        />
      )}
    </>
  );
}

/** The changed fields, old and new; of a state without the other one, all fields that are not null. */
function Differences({ model, entry }: { readonly model: ModelInfo; readonly entry: HistoryEntry }) {
  const { before, after, changed } = entry;
  const whole = before === null ? after : after === null ? before : null;
  const names = whole === null ? changed : Object.keys(whole).filter((name) => whole[name] !== null);
  if (names.length === 0) return null;
  return (
    <div className="scroll">
      <table>
        <thead className="hidden">
          <tr>
            <th>Field</th>
            <th>Before</th>
            <th>After</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => {
            const field = model.field(name) ?? { kind: "text" as const, title: toTitle(name) };
            return (
              <tr key={name}>
                <th scope="row">{field.title}</th>
                <td className="old">
                  {before !== null && name in before && <Value field={field} value={before[name]} />}
                </td>
                <td className="new">
                  {after !== null && name in after && <Value field={field} value={after[name]} />}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface RestoreProps extends RowHistoryProps {
  readonly entry: HistoryEntry;
  /** Called with the fields that differ and that the caller may not write. */
  readonly onDone: (notWritable: readonly string[]) => void;
  readonly onClose: () => void;
}

function Restore({ model, keyValues, state, entry, onDone, onClose }: RestoreProps) {
  const [error, setError] = useState<unknown>();
  const queries = useQueryClient();
  const restore = async () => {
    setError(undefined);
    try {
      const done = await rows.restoreState(model, keyValues, entry.id, state);
      await queries.invalidateQueries({ queryKey: ["rows"] });
      onDone(done?.meta.notWritable ?? []);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Dialog title="Restore this state?" onClose={onClose}>
      <p>
        The {model.one} gets the values that it had after the change of {formatDate(entry.time)} by {entry.actor}. This
        is recorded as another change.
      </p>
      <Problem error={error} />
      <div className="row end">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="primary" onClick={() => void restore()}>
          Restore
        </button>
      </div>
    </Dialog>
  );
}
