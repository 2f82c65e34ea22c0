import type { FieldInfo } from "../model/model-info.js";
import { Popup } from "../ui/popup.js";

interface ColumnChoiceProps {
  readonly possible: readonly FieldInfo[];
  readonly names: readonly string[];
  readonly onChange: (names: readonly string[] | null) => void;
}

/** Selects the columns of a table; stored in this browser per model. */
export function ColumnChoice({ possible, names, onChange }: ColumnChoiceProps) {
  return (
    <Popup label="Columns" legend="Columns">
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
    </Popup>
  );
}
