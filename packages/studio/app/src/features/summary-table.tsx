import type { SummaryRow } from "../api/shop.js";
import type { ModelInfo } from "../model/model-info.js";
import { barLengths, cutFraction, formatPeriod, type SummaryColumn } from "../model/summary-fields.js";
import { Value } from "../ui/value.js";
import "./rows-table.css";
import "./summary.css";

interface SummaryTableProps {
  readonly model: ModelInfo;
  readonly columns: readonly SummaryColumn[];
  readonly groups: readonly SummaryRow[];
  readonly sort: string | undefined;
  readonly onSort: (sort: string | undefined) => void;
  readonly isStale: boolean;
}

/** Groups with their measures; numbers have bars. */
export function SummaryTable({ model, columns, groups, sort, onSort, isStale }: SummaryTableProps) {
  const bars = new Map(
    columns.filter(({ hasBars }) => hasBars).map(({ name, valueIn }) => [name, barLengths(groups.map(valueIn))]),
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section className="scroll of-height" aria-label={`Groups of ${model.title}`} tabIndex={0}>
      <table className={isStale ? "of-rows summary stale" : "of-rows summary"}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.name} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map((row, at) => (
            <tr key={JSON.stringify(row.group) ?? at}>
              {columns.map((column) => (
                <td key={column.name} className={`of-${column.kind}`}>
                  <Cell column={column} value={column.valueIn(row)} length={bars.get(column.name)?.[at]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {groups.length === 0 && <p className="dim empty">No groups.</p>}
    </section>
  );
}

function Heading({
  column: { name, title, kind },
  sort,
  onSort,
}: Pick<SummaryTableProps, "sort" | "onSort"> & {
  readonly column: SummaryColumn;
}) {
  const direction = sort === name ? "ascending" : sort === `-${name}` ? "descending" : "none";
  const next = { none: `-${name}`, descending: name, ascending: undefined }[direction];
  return (
    <th aria-sort={direction} className={`of-${kind}`}>
      <button type="button" className="sort" onClick={() => onSort(next)}>
        {title}
        <span aria-hidden="true">{{ none: "", ascending: " ▲", descending: " ▼" }[direction]}</span>
      </button>
    </th>
  );
}

interface CellProps {
  readonly column: SummaryColumn;
  readonly value: unknown;
  /** The length of the bar, in percent. */
  readonly length: number | undefined;
}

function Cell({ column, value, length }: CellProps) {
  const { period } = column;
  if (period !== undefined && typeof value === "string")
    return <time dateTime={value}>{formatPeriod(value, period)}</time>;
  if (length === undefined || value === null || value === undefined) return <Value field={column} value={value} />;
  return (
    <span className="measured">
      <span className="number" title={String(value)}>
        {cutFraction(String(value))}
      </span>
      {/* The number is the text of the bar. */}
      <span className="bar" aria-hidden="true">
        <span className={Number(value) < 0 ? "negative" : undefined} style={{ inlineSize: `${length}%` }} />
      </span>
    </span>
  );
}
