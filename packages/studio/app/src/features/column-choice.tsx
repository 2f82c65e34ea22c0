import type { FieldInfo } from "../model/model-info.js";
import "../ui/popup.css";

interface ColumnChoiceProps {
  readonly possible: readonly FieldInfo[];
  readonly names: readonly string[];
  readonly onChange: (names: readonly string[] | null) => void;
}

/** Selects the columns of a table; stored in this browser per model. */
export function ColumnChoice({ possible, names, onChange }: ColumnChoiceProps) {
  return (
    <details className="popup">
      <summary className="button">Columns</summary>
      <fieldset>
        <legend className="hidden">Columns</legend>
        {possible.map(({ name, title }) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={names.includes(name)}
              onChange={(event) =>
                onChange(event.target.checked ? [...names, name] : names.filter((each) => each !== name))
              }
            />
            {title}
          </label>
        ))}
        <button type="button" onClick={() => onChange(null)}>
          Reset
        </button>
      </fieldset>
    </details>
  );
}
