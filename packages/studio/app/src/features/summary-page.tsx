import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useModel, useModels } from "../api/discovery.js";
import { rows } from "../api/shop.js";
import type { ModelInfo } from "../model/model-info.js";
import { summaryColumns } from "../model/summary-fields.js";
import { changeSummary, measureFunctions, type SummarySearch, toQuestion } from "../model/summary-search.js";
import { areAllAt } from "../ui/issues.js";
import { PageButtons } from "../ui/page-buttons.js";
import { NotFound, Problem, Waiting } from "../ui/problem.js";
import { Filters } from "./filters.js";
import { SearchBox } from "./search-box.js";
import { SummaryChoice } from "./summary-choice.js";
import { SummaryTable } from "./summary-table.js";

/** Groups of the rows of a model that match its filters, with counts and other measures. */
export function SummaryPage() {
  const { model: name } = useParams({ from: "/data/$model/summary" });
  const models = useModels();
  const model = useModel(name);
  if (models.isPending) return <Waiting />;
  if (model === undefined || !model.may("aggregate")) return <NotFound what="summary" />;
  return <Summary key={name} model={model} models={models.data ?? []} />;
}

/** Groups of a page. */
const limit = 50;
/** The parameters whose errors are shown beside their inputs. */
const placed = ["groupBy", "timeZone", "count", ...measureFunctions];

function Summary({ model, models }: { readonly model: ModelInfo; readonly models: readonly ModelInfo[] }) {
  const summary = useSearch({ from: "/data/$model/summary" });
  const navigate = useNavigate({ from: "/data/$model/summary" });
  const { search, sort, where: clauses = [], deleted, page = 1 } = summary;
  const question = toQuestion(summary, limit);
  const found = useQuery({
    queryKey: ["rows", model.name, "summary", question],
    placeholderData: keepPreviousData,
    // With their summary, because the groups of the previous one are shown until those of the next are loaded.
    queryFn: async ({ signal }) => ({ ...(await rows.aggregate(model, question, signal)), summary }),
  });
  // A second change can come before the page shows the first one.
  const change = (next: SummarySearch) =>
    void navigate({ search: (before) => changeSummary(before, next), replace: true });
  const turn = (to: number) =>
    void navigate({ search: { ...summary, page: to === 1 ? undefined : to }, replace: true });
  const hasNext = found.data?.meta.hasMore === true && !found.isPlaceholderData && found.error === null;
  return (
    <>
      <div className="row head">
        <h1>
          Summary of {deleted === "only" && "deleted "}
          {model.title.toLowerCase()}
        </h1>
        <span className="grow" />
        <Link
          className="button"
          to="/data/$model"
          params={{ model: model.name }}
          search={{ search, where: summary.where, deleted }}
        >
          Rows
        </Link>
      </div>
      <div className="row tools">
        <SearchBox model={model} search={search} onSearch={(words) => change({ search: words })} />
        <Filters model={model} clauses={clauses} onChange={(where) => change({ where })} />
      </div>
      <SummaryChoice model={model} models={models} summary={summary} error={found.error} onChange={change} />
      {!areAllAt(found.error, placed) && <Problem error={found.error} hides={placed.map((name) => `/${name}`)} />}
      {found.isPending && <Waiting />}
      {found.data !== undefined && found.error === null && (
        <SummaryTable
          model={model}
          columns={summaryColumns(model, models, found.data.summary)}
          groups={found.data.data}
          sort={sort}
          onSort={(next) => change({ sort: next })}
          isStale={found.isPlaceholderData}
        />
      )}
      <div className="row pager">
        <span className="dim">{page > 1 && `Page ${page}`}</span>
        <PageButtons
          onPrevious={page === 1 ? undefined : () => turn(page - 1)}
          onNext={hasNext ? () => turn(page + 1) : undefined}
        />
      </div>
    </>
  );
}
