import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Question, type Row, rows } from "../api/shop.js";
import { firstColumns, possibleColumns, shapeOf } from "../model/columns.js";
import { useApiDocument, writtenFields } from "../model/document.js";
import { type FieldInfo, keyOf, labelOf, type ModelInfo } from "../model/model-info.js";
import { formatRowTotal } from "../ui/format-row-count.js";
import { PageButtons } from "../ui/page-buttons.js";
import { Problem, Waiting } from "../ui/problem.js";
import { RelationPicker } from "./relation-picker.js";
import { RowsTable } from "./rows-table.js";
import { type PagePlace, useCount, useRows } from "./use-rows.js";

interface RelatedRowsProps {
  readonly model: ModelInfo;
  readonly models: readonly ModelInfo[];
  readonly relation: FieldInfo;
  readonly row: Row;
  readonly keyValues: readonly string[];
}

const first: PagePlace = { number: 1, cursor: "" };
const limit = 10;

/** The rows of a to-many relation, as a list of their model. */
export function RelatedRows({ model, models, relation, row, keyValues }: RelatedRowsProps) {
  const target = models.find(({ name }) => name === relation.relation);
  const opposite = target?.field(relation.opposite ?? "");
  if (target === undefined || opposite === undefined)
    return <p className="dim">The other side of this relation is not available.</p>;
  return (
    <Related
      model={model}
      models={models}
      relation={relation}
      row={row}
      keyValues={keyValues}
      target={target}
      opposite={opposite}
    />
  );
}

interface RelatedProps extends RelatedRowsProps {
  readonly target: ModelInfo;
  readonly opposite: FieldInfo;
}

function Related({ model, models, relation, row, keyValues, target, opposite }: RelatedProps) {
  const [places, setPlaces] = useState<readonly PagePlace[]>([first]);
  const [error, setError] = useState<unknown>();
  const { data: document } = useApiDocument();
  const queries = useQueryClient();
  const own = Object.fromEntries(model.key.map((name, at) => [name, row[name] ?? keyValues[at]]));
  const question: Question = { where: { [opposite.name]: opposite.list ? { some: own } : own } };
  const possible = possibleColumns(target, models).filter(({ name }) => name !== opposite.name);
  const columns = possible.filter(
    ({ name }) => firstColumns(target, possible).includes(name) && !(name in (opposite.references ?? {})),
  );
  const page = useRows(target, { ...question, ...shapeOf(target, columns) }, places.at(-1) ?? first, limit);
  const next = page.data?.next;
  const count = useCount(target, question);
  // Rows of a many-to-many relation exist independently: they are connected and disconnected, not created here.
  const isTie = opposite.list;
  const mayTie =
    isTie &&
    model.may("updateOne") &&
    (writtenFields(document, model, "update") ?? []).some(({ name }) => name === relation.name);
  const tie = async (other: Row, isTied: boolean) => {
    const key = Object.fromEntries(target.key.map((name) => [name, other[name]]));
    setError(undefined);
    try {
      await rows.update(model, keyValues, { [relation.name]: [isTied ? key : { $disconnect: true, ...key }] }, false);
      await queries.invalidateQueries({ queryKey: ["rows"] });
    } catch (failure) {
      setError(failure);
    }
  };
  const from = Object.fromEntries(
    Object.entries(opposite.references ?? {}).map(([name, pointed]) => [name, row[pointed]]),
  );
  return (
    <>
      <div className="row tools">
        <span className="dim">{count.data?.total !== undefined && formatRowTotal(count.data)}</span>
        <span className="grow" />
        {!isTie && target.may("createOne") && Object.keys(from).length > 0 && (
          <Link className="button" to="/data/$model/new" params={{ model: target.name }} search={{ from }}>
            New {target.one}
          </Link>
        )}
        {mayTie && (
          <RelationPicker
            model={target}
            label={`Add to ${relation.title.toLowerCase()}`}
            onPick={(other) => void tie(other, true)}
          />
        )}
      </div>
      <Problem error={error ?? page.error} />
      {page.isPending ? (
        <Waiting />
      ) : (
        <RowsTable
          model={target}
          models={models}
          columns={columns}
          rows={page.data?.data ?? []}
          isStale={page.isPlaceholderData}
          {...(mayTie
            ? {
                act: (other: Row) => (
                  <button
                    type="button"
                    className="quiet small"
                    aria-label={`Remove ${labelOf(target, other)}`}
                    disabled={keyOf(target, other) === undefined}
                    onClick={() => void tie(other, false)}
                  >
                    ✕
                  </button>
                ),
              }
            : {})}
        />
      )}
      <div className="row pager">
        <PageButtons
          onPrevious={places.length < 2 ? undefined : () => setPlaces(places.slice(0, -1))}
          onNext={next === undefined ? undefined : () => setPlaces([...places, next])}
        />
      </div>
    </>
  );
}
