import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { type Row, rows } from "../api/shop.js";
import { isQueryable, keyOf, labelField, labelOf, type ModelInfo } from "../model/model-info.js";
import { Problem } from "../ui/problem.js";
import "./relation-picker.css";

interface PickerProps {
  readonly model: ModelInfo;
  readonly label: string;
  readonly onPick: (row: Row) => void;
  readonly id?: string;
  /** The current selection. */
  readonly chosen?: string;
  readonly isInvalid?: boolean;
  readonly describedBy?: string;
}

const max = 8;

/** Finds a row of a model by its label: a combobox. */
export function RelationPicker({ model, label, onPick, id, chosen = "", isInvalid = false, describedBy }: PickerProps) {
  const [words, setWords] = useState<string>();
  const [active, setActive] = useState(0);
  const list = useId();
  const isOpen = words !== undefined;
  const found = useQuery({
    queryKey: ["rows", model.name, "picker", words],
    enabled: isOpen,
    queryFn: async ({ signal }) => (await find(model, words ?? "", signal)).data,
  });
  const options = found.data ?? [];
  const pick = (row: Row | undefined) => {
    if (row === undefined) return;
    setWords(undefined);
    onPick(row);
  };
  return (
    <div className="picker">
      <input
        id={id}
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={list}
        aria-autocomplete="list"
        aria-invalid={isInvalid}
        aria-describedby={describedBy}
        aria-activedescendant={isOpen && options.length > 0 ? `${list}-${active}` : undefined}
        autoComplete="off"
        placeholder={`Find in ${model.title.toLowerCase()}`}
        value={words ?? chosen}
        onFocus={() => setWords("")}
        onBlur={() => setWords(undefined)}
        onChange={(event) => {
          setWords(event.target.value);
          setActive(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setActive(Math.min(active + 1, options.length - 1));
          else if (event.key === "ArrowUp") setActive(Math.max(active - 1, 0));
          else if (event.key === "Enter" && isOpen) pick(options[active]);
          else if (event.key === "Escape" && isOpen) {
            event.stopPropagation();
            setWords(undefined);
          } else return;
          event.preventDefault();
        }}
      />
      <div id={list} role="listbox" aria-label={model.title} className="options" hidden={!isOpen}>
        {options.map((row, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys belong to the input.
          <div
            key={keyOf(model, row)?.join() ?? at}
            id={`${list}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === active}
            // Before the input loses the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => pick(row)}
          >
            {labelOf(model, row)} <span className="dim">{keyOf(model, row)?.join(", ")}</span>
          </div>
        ))}
        {found.isFetched && options.length === 0 && <div className="dim">No results.</div>}
        <Problem error={found.error} />
      </div>
    </div>
  );
}

function find(model: ModelInfo, words: string, signal: AbortSignal) {
  const label = labelField(model);
  const isSorted = label !== undefined && isQueryable(label) && words === "";
  const order = isSorted ? { sort: [label.name] } : {};
  return rows.list(model, { limit: max, count: false, ...(words === "" ? order : { search: words }) }, signal);
}

/** The label of a row, by its key. */
export function useLabel(model: ModelInfo | undefined, key: readonly unknown[] | undefined): string {
  const row = useQuery({
    queryKey: ["rows", model?.name, "label", key],
    enabled: model?.may("findOne") === true && key !== undefined,
    queryFn: () => rows.read(model as ModelInfo, key ?? []),
  });
  if (model === undefined || key === undefined) return "";
  return row.data === undefined ? `#${key.join(", ")}` : labelOf(model, row.data);
}
