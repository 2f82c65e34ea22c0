import { useModels } from "../api/discovery.js";
import { operatorsIn, useApiDocument } from "../model/document.js";
import {
  type Clause,
  type Condition,
  filterFields,
  type GroupKind,
  groupWords,
  isGroup,
  operatorsOf,
  operatorWords,
  takesFlag,
  takesList,
} from "../model/filter.js";
import type { FieldInfo, ModelInfo } from "../model/model-info.js";
import { Popup } from "../ui/popup.js";
import { RelationPicker, useLabel } from "./relation-picker.js";
import "./filters.css";

interface FiltersProps {
  readonly model: ModelInfo;
  readonly clauses: readonly Clause[];
  readonly onChange: (clauses: readonly Clause[]) => void;
}

/** The filters of a table: conditions on fields, and groups with OR or NOT. */
export function Filters({ model, clauses, onChange }: FiltersProps) {
  const { data: document } = useApiDocument();
  const fields = filterFields(model);
  const operators = (field: FieldInfo) => operatorsOf(field, operatorsIn(document, model, field));
  const fresh = (field: FieldInfo): Condition => [field.name, operators(field)[0] ?? "equals", ""];
  const [first] = fields;
  if (first === undefined) return null;
  const set = (at: number, clause: Clause) => onChange(replace(clauses, at, clause));
  const list = { model, fields, operators, fresh };
  return (
    <section className="filters" aria-label="Filters">
      {clauses.map((clause, at) => {
        const remove = () => onChange(without(clauses, at));
        if (!isGroup(clause))
          return (
            <OneCondition
              // biome-ignore lint/suspicious/noArrayIndexKey: clauses are identified only by their position.
              key={at}
              {...list}
              condition={clause}
              onChange={(next) => set(at, next)}
              onRemove={remove}
            />
          );
        const [how, conditions] = clause;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: clauses are identified only by their position.
          <fieldset className="group" key={at}>
            <legend className="hidden">Group {at + 1}</legend>
            <select
              aria-label="In the group"
              value={how}
              onChange={({ target }) => set(at, [target.value as GroupKind, conditions])}
            >
              {Object.entries(groupWords).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
            {conditions.map((condition, place) => (
              <OneCondition
                // biome-ignore lint/suspicious/noArrayIndexKey: conditions are identified only by their position.
                key={place}
                {...list}
                condition={condition}
                onChange={(next) => set(at, [how, replace(conditions, place, next)])}
                onRemove={() => (conditions.length === 1 ? remove() : set(at, [how, without(conditions, place)]))}
              />
            ))}
            <button type="button" className="small" onClick={() => set(at, [how, [...conditions, fresh(first)]])}>
              + To the group
            </button>
          </fieldset>
        );
      })}
      <button type="button" onClick={() => onChange([...clauses, fresh(first)])}>
        + Filter
      </button>
      <button type="button" onClick={() => onChange([...clauses, ["any", [fresh(first)]]])}>
        + Group
      </button>
    </section>
  );
}

const replace = <Each,>(all: readonly Each[], at: number, by: Each): readonly Each[] =>
  all.map((each, index) => (index === at ? by : each));
const without = <Each,>(all: readonly Each[], at: number): readonly Each[] =>
  all.filter((_each, index) => index !== at);

interface ConditionProps {
  readonly model: ModelInfo;
  readonly fields: readonly FieldInfo[];
  readonly operators: (field: FieldInfo) => readonly string[];
  /** A condition whose value is not entered yet. */
  readonly fresh: (field: FieldInfo) => Condition;
  readonly condition: Condition;
  readonly onChange: (condition: Condition) => void;
  readonly onRemove: () => void;
}

/** A field, an operator of its type, and a value. */
function OneCondition({ model, fields, operators, fresh, condition, onChange, onRemove }: ConditionProps) {
  const [name, operator, value] = condition;
  const field = model.field(name);
  const remove = (
    <button
      type="button"
      className="quiet"
      aria-label={`Remove the filter on ${field?.title ?? name}`}
      onClick={onRemove}
    >
      ✕
    </button>
  );
  if (field === undefined)
    return (
      <div className="condition">
        <span className="wide">{name} is not a visible field.</span>
        {remove}
      </div>
    );
  return (
    <div className="condition">
      <select
        aria-label="Field"
        value={field.name}
        onChange={({ target }) => {
          const next = model.field(target.value);
          if (next !== undefined) onChange(fresh(next));
        }}
      >
        {fields.map((each) => (
          <option key={each.name} value={each.name}>
            {each.title}
          </option>
        ))}
      </select>
      <select
        aria-label="Operator"
        value={operator}
        onChange={({ target }) =>
          onChange([name, target.value, takesFlag(target.value) ? "true" : takesFlag(operator) ? "" : value])
        }
      >
        {operators(field).map((each) => (
          <option key={each} value={each}>
            {operatorWords[each] ?? each}
          </option>
        ))}
      </select>
      <Operand field={field} condition={condition} onChange={(next) => onChange([name, operator, next])} />
      {remove}
    </div>
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
      <Popup label={chosen.join(", ") || "Choose"} legend={label} isOpenFirst={chosen.length === 0}>
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
      </Popup>
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

/** A foreign key is selected by the name of its row. */
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
