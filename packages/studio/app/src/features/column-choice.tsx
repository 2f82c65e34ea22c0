import type { FieldInfo } from "../model/model-info.js";
import "../ui/popup.css";

interface ColumnChoiceProps {
  readonly possible: readonly FieldInfo[];
  readonly names: readonly string[];
  readonly onChange: (names: readonly string[] | null) => void;
}

/** Which columns a table has; this browser keeps it for each model. */
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
          As at first
        </button>
      </fieldset>
    </details>
  );
}
