import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { useModel, useModels } from "../api/discovery.js";
import type { Question, Row } from "../api/shop.js";
import { firstColumns, isToOne, possibleColumns, shapeOf } from "../model/columns.js";
import { type Clause, toWhere } from "../model/filter.js";
import { keyOf, type ModelInfo, writeKey } from "../model/model-info.js";
import type { TableSearch } from "../router.js";
import { formatRowTotal, formatTotal } from "../ui/format-row-count.js";
import { PageButtons } from "../ui/page-buttons.js";
import { NotFound, Problem, Waiting } from "../ui/problem.js";
import { useStored } from "../ui/use-stored.js";
import { BulkActions } from "./bulk-actions.js";
import { ColumnChoice } from "./column-choice.js";
import { Export } from "./export.js";
import { Filters } from "./filters.js";
import { RowsTable } from "./rows-table.js";
import { SearchBox } from "./search-box.js";
import { type PagePlace, useCount, useRows } from "./use-rows.js";

/** The table of a model. */
export function TablePage() {
  const { model: name } = useParams({ from: "/data/$model" });
  const models = useModels();
  const model = useModel(name);
  if (models.isPending) return <Waiting />;
  if (model === undefined) return <NotFound />;
  return <Table key={name} model={model} models={models.data ?? []} />;
}

const first: PagePlace = { number: 1, cursor: "" };
const sizes = [10, 20, 50, 100];

function Table({ model, models }: { readonly model: ModelInfo; readonly models: readonly ModelInfo[] }) {
  const { search, sort, where: clauses = [], deleted: wanted } = useSearch({ from: "/data/$model" });
  const navigate = useNavigate({ from: "/data/$model" });
  const possible = useMemo(() => possibleColumns(model, models), [model, models]);
  const [chosen, setChosen] = useStored<readonly string[] | null>(`columns.${model.name}`, null);
  const [limit, setLimit] = useStored("limit", 20);
  const [places, setPlaces] = useState<readonly PagePlace[]>([first]);
  const [selected, setSelected] = useState<ReadonlyMap<string, readonly unknown[]>>(new Map());

  const mayShowDeleted = model.may("findDeleted");
  const deleted = mayShowDeleted ? wanted : undefined;
  const names = chosen ?? firstColumns(model, possible);
  const columns = possible.filter((field) => names.includes(field.name));
  const where = toWhere(clauses);
  const question: Question = {
    ...(where === undefined ? {} : { where }),
    ...(search === undefined ? {} : { search }),
    ...(sort === undefined ? {} : { sort: [sort] }),
    ...(deleted === undefined ? {} : { deleted }),
  };
  const place = places.at(-1) ?? first;
  const page = useRows(model, { ...question, ...shapeOf(model, columns) }, place, limit);
  const next = page.data?.next;
  const count = useCount(model, question);

  const queryText = JSON.stringify([question, limit]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another question begins at its first page.
  useEffect(() => {
    setPlaces([first]);
    setSelected(new Map());
  }, [queryText]);

  const changeSearch = (change: {
    search?: string | undefined;
    sort?: string | undefined;
    where?: readonly Clause[];
    deleted?: "only" | undefined;
  }) => {
    const next = { search, sort, where: clauses, deleted, ...change };
    const given = Object.entries(next).filter(([, value]) => value !== undefined && value !== "" && value.length > 0);
    void navigate({ search: Object.fromEntries(given) as TableSearch, replace: true });
  };
  const select = (row: Row, isSelected: boolean) => {
    const key = keyOf(model, row);
    if (key === undefined) return;
    setSelected((before) => {
      const next = new Map(before);
      if (isSelected) next.set(writeKey(key), key);
      else next.delete(writeKey(key));
      return next;
    });
  };
  const from = (place.number - 1) * limit;
  const shown = page.data?.data ?? [];

  return (
    <>
      <div className="row head">
        <h1>{model.title}</h1>
        <span className="dim" aria-live="polite">
          {count.data?.total !== undefined && formatRowTotal(count.data)}
        </span>
        <span className="grow" />
        <ColumnChoice possible={possible} names={names} onChange={setChosen} />
        <label className="inline">
          <span className="dim">Rows</span>
          <select value={limit} onChange={(event) => setLimit(Number(event.target.value))}>
            {sizes.map((size) => (
              <option key={size}>{size}</option>
            ))}
          </select>
        </label>
        {model.may("aggregate") && (
          <Link
            className="button"
            to="/data/$model/summary"
            params={{ model: model.name }}
            search={{ search, where: clauses.length === 0 ? undefined : clauses, deleted }}
          >
            Summarise
          </Link>
        )}
        {model.may("createMany") && (
          <Link className="button" to="/data/$model/import" params={{ model: model.name }}>
            Import
          </Link>
        )}
        <Export
          model={model}
          question={question}
          columns={columns.filter((field) => !isToOne(field))}
          total={count.data}
        />
        {model.may("createOne") && (
          <Link className="button primary" to="/data/$model/new" params={{ model: model.name }} search={{}}>
            New {model.one}
          </Link>
        )}
      </div>
      <div className="row tools">
        <SearchBox model={model} search={search} onSearch={(words) => changeSearch({ search: words })} />
        {mayShowDeleted && (
          <label className="inline">
            <input
              type="checkbox"
              checked={deleted === "only"}
              onChange={({ target }) => changeSearch({ deleted: target.checked ? "only" : undefined })}
            />
            Deleted
          </label>
        )}
        <Filters model={model} clauses={clauses} onChange={(next) => changeSearch({ where: next })} />
      </div>
      {deleted === undefined && (
        <BulkActions
          model={model}
          clauses={clauses}
          search={search}
          selected={[...selected.values()]}
          onDone={() => setSelected(new Map())}
        />
      )}
      <Problem error={page.error} />
      {page.isPending && <Waiting />}
      {page.data !== undefined && page.error === null && (
        <RowsTable
          model={model}
          models={models}
          columns={columns}
          rows={shown}
          sort={sort}
          onSort={(next) => changeSearch({ sort: next })}
          isSelected={(row) => selected.has(writeKey(keyOf(model, row) ?? []))}
          onSelect={deleted === undefined && (model.may("deleteMany") || model.may("updateMany")) ? select : undefined}
          isStale={page.isPlaceholderData}
        />
      )}
      <div className="row pager">
        <span className="dim">
          {shown.length > 0 && `${(from + 1).toLocaleString("en")}–${(from + shown.length).toLocaleString("en")}`}
          {shown.length > 0 && count.data?.total !== undefined && ` of ${formatTotal(count.data)}`}
        </span>
        <PageButtons
          onPrevious={places.length < 2 ? undefined : () => setPlaces(places.slice(0, -1))}
          onNext={next === undefined || page.isPlaceholderData ? undefined : () => setPlaces([...places, next])}
        />
      </div>
    </>
  );
}
