import { useModels } from "../api/discovery.js";
import { operatorsIn, useApiDocument } from "../model/document.js";
import { type Condition, operatorsOf, operatorWords, takesFlag, takesList } from "../model/filter.js";
import type { FieldInfo, ModelInfo } from "../model/model-info.js";
import { RelationPicker, useLabel } from "./relation-picker.js";

interface FiltersProps {
  readonly model: ModelInfo;
  readonly conditions: readonly Condition[];
  readonly onChange: (conditions: readonly Condition[]) => void;
}

/** Conditions on the fields of a model, each with the operators that its type takes. */
export function Filters({ model, conditions, onChange }: FiltersProps) {
  const { data: document } = useApiDocument();
  const fields = model.fields.filter(({ kind }) => kind !== "relation" && kind !== "bytes");
  const operators = (field: FieldInfo) => operatorsOf(field, operatorsIn(document, model, field));
  const set = (at: number, condition: Condition) =>
    onChange(conditions.map((each, index) => (index === at ? condition : each)));
  const add = () => {
    const [field] = fields;
    if (field !== undefined) onChange([...conditions, [field.name, operators(field)[0] ?? "equals", ""]]);
  };
  return (
    <section className="filters" aria-label="Filters">
      {conditions.map((condition, at) => {
        const field = model.field(condition[0]);
        if (field === undefined) return null;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions are told apart by their place alone.
          <div className="row condition" key={at}>
            <select
              aria-label="Field"
              value={field.name}
              onChange={(event) => {
                const next = model.field(event.target.value);
                if (next !== undefined) set(at, [next.name, operators(next)[0] ?? "equals", ""]);
              }}
            >
              {fields.map(({ name, title }) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </select>
            <select
              aria-label="Operator"
              value={condition[1]}
              onChange={({ target }) =>
                set(at, [
                  field.name,
                  target.value,
                  takesFlag(target.value) ? "true" : takesFlag(condition[1]) ? "" : condition[2],
                ])
              }
            >
              {operators(field).map((name) => (
                <option key={name} value={name}>
                  {operatorWords[name] ?? name}
                </option>
              ))}
            </select>
            <Operand
              field={field}
              condition={condition}
              onChange={(value) => set(at, [field.name, condition[1], value])}
            />
            <button
              type="button"
              className="quiet"
              aria-label={`Remove the filter on ${field.title}`}
              onClick={() => onChange(conditions.filter((_each, index) => index !== at))}
            >
              ✕
            </button>
          </div>
        );
      })}
      <button type="button" onClick={add}>
        + Filter
      </button>
    </section>
  );
}

interface OperandProps {
  readonly field: FieldInfo;
  readonly condition: Condition;
  readonly onChange: (value: string) => void;
}

function Operand({ field, condition: [, operator, value], onChange }: OperandProps) {
  const models = useModels().data ?? [];
  const target = models.find(({ name, may }) => name === field.keyOf?.relation && may("findMany"));
  const label = `Value of ${field.title}`;
  if (takesFlag(operator) || field.kind === "boolean") {
    return (
      <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
        {!takesFlag(operator) && <option value="">…</option>}
        <option value="true">yes</option>
        <option value="false">no</option>
      </select>
    );
  }
  if (field.values !== undefined) {
    const isMany = takesList(operator);
    const chosen = value === "" ? [] : value.split(",");
    if (!isMany)
      return (
        <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">…</option>
          {field.values.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      );
    return (
      <fieldset className="choices">
        <legend className="hidden">{label}</legend>
        {field.values.map((each) => (
          <label key={each}>
            <input
              type="checkbox"
              checked={chosen.includes(each)}
              onChange={(event) =>
                onChange(
                  (field.values ?? [])
                    .filter((one) => (one === each ? event.target.checked : chosen.includes(one)))
                    .join(),
                )
              }
            />
            {each}
          </label>
        ))}
      </fieldset>
    );
  }
  if (target !== undefined && (operator === "equals" || operator === "not"))
    return <ByName field={field} target={target} value={value} onChange={onChange} />;
  const isDay = field.kind === "datetime" && !takesList(operator);
  return (
    <input
      aria-label={label}
      value={value}
      placeholder={takesList(operator) ? "a, b, c" : isDay ? "2026-01-31 or 2026-01-31T08:00:00Z" : ""}
      inputMode={
        ["integer", "bigint"].includes(field.kind)
          ? "numeric"
          : ["float", "decimal"].includes(field.kind)
            ? "decimal"
            : "text"
      }
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

interface ByNameProps {
  readonly field: FieldInfo;
  readonly target: ModelInfo;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A foreign key is chosen by the name of its row. */
function ByName({ field, target, value, onChange }: ByNameProps) {
  const pointed = field.keyOf?.references?.[field.name] ?? "id";
  const isKey = target.key.length === 1 && target.key[0] === pointed;
  const label = useLabel(target, isKey && value !== "" ? [value] : undefined);
  return (
    <RelationPicker
      model={target}
      label={`Value of ${field.title}`}
      chosen={isKey ? label : value}
      onPick={(row) => onChange(String(row[pointed] ?? ""))}
    />
  );
}
