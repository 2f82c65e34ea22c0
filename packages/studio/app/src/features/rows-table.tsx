import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Row } from "../api/shop.js";
import { isToOne, rowIn } from "../model/columns.js";
import { type FieldInfo, isQueryable, keyOf, labelOf, type ModelInfo, writeKey } from "../model/model-info.js";
import { Value } from "../ui/value.js";
import "./rows-table.css";

interface RowsTableProps {
  readonly model: ModelInfo;
  readonly models: readonly ModelInfo[];
  readonly columns: readonly FieldInfo[];
  readonly rows: readonly Row[];
  readonly sort?: string | undefined;
  readonly onSort?: (sort: string | undefined) => void;
  readonly isSelected?: (row: Row) => boolean;
  readonly onSelect?: ((row: Row, isSelected: boolean) => void) | undefined;
  readonly isStale?: boolean;
  /** The last cell of a row. */
  readonly act?: (row: Row) => ReactNode;
}

const unsorted: ReadonlySet<string> = new Set(["json", "bytes", "relation"]);

/** Rows as a table; the first column links to the row. */
export function RowsTable({ model, models, columns, rows, isStale = false, ...props }: RowsTableProps) {
  const { sort, onSort, isSelected, onSelect, act } = props;
  const opens = columns.find(({ name }) => model.key.includes(name)) ?? columns[0];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section className="scroll of-height" aria-label={`Rows of ${model.title}`} tabIndex={0}>
      <table className={isStale ? "of-rows stale" : "of-rows"}>
        <thead>
          <tr>
            {onSelect !== undefined && (
              <th className="narrow">
                <input
                  type="checkbox"
                  aria-label="Select all rows of this page"
                  checked={rows.length > 0 && rows.every((row) => isSelected?.(row))}
                  onChange={(event) => {
                    for (const row of rows) onSelect(row, event.target.checked);
                  }}
                />
              </th>
            )}
            {columns.map((field) => (
              <Heading key={field.name} field={field} sort={sort} onSort={onSort} />
            ))}
            {act !== undefined && (
              <th>
                <span className="hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => {
            const key = keyOf(model, row);
            return (
              <tr key={key === undefined ? at : writeKey(key)}>
                {onSelect !== undefined && (
                  <td className="narrow">
                    <input
                      type="checkbox"
                      aria-label={`Select ${labelOf(model, row)}`}
                      checked={isSelected?.(row) ?? false}
                      onChange={(event) => onSelect(row, event.target.checked)}
                    />
                  </td>
                )}
                {columns.map((field) => (
                  <td key={field.name} className={`of-${field.kind}`}>
                    {field === opens && key !== undefined && model.may("findOne") ? (
                      <Link to="/data/$model/row/$key" params={{ model: model.name, key: writeKey(key) }}>
                        <Cell field={field} row={row} models={models} isLinked />
                      </Link>
                    ) : (
                      <Cell field={field} row={row} models={models} />
                    )}
                  </td>
                ))}
                {act !== undefined && <td>{act(row)}</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
      {rows.length === 0 && <p className="dim empty">No rows.</p>}
    </section>
  );
}

interface HeadingProps {
  readonly field: FieldInfo;
  readonly sort: string | undefined;
  readonly onSort: ((sort: string | undefined) => void) | undefined;
}

function Heading({ field, sort, onSort }: HeadingProps) {
  const { name, title, kind, list } = field;
  const direction = sort === name ? "ascending" : sort === `-${name}` ? "descending" : "none";
  if (onSort === undefined || unsorted.has(kind) || list || !isQueryable(field))
    return <th className={`of-${kind}`}>{title}</th>;
  const next = { none: name, ascending: `-${name}`, descending: undefined }[direction];
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
  readonly field: FieldInfo;
  readonly row: Row;
  readonly models: readonly ModelInfo[];
  readonly isLinked?: boolean;
}

function Cell({ field, row, models, isLinked = false }: CellProps) {
  if (!isToOne(field)) return <Value field={field} value={row[field.name]} isLinked={isLinked} />;
  const target = models.find(({ name }) => name === field.relation);
  const other = rowIn(row, field.name);
  if (target === undefined || other === undefined || other === null) return <Value field={field} value={other} />;
  const key = keyOf(target, other);
  const label = labelOf(target, other);
  if (isLinked || key === undefined) return <span>{label}</span>;
  return (
    <Link to="/data/$model/row/$key" params={{ model: target.name, key: writeKey(key) }}>
      {label}
    </Link>
  );
}
