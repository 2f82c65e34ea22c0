import type { ReactNode } from "react";
import type { FieldInfo, ModelInfo } from "../model/model-info.js";
import { groupField, groupFields, groupRelations, measureFields, periods } from "../model/summary-fields.js";
import {
  type MeasureFunction,
  maxGroups,
  maxMeasures,
  measureFunctions,
  measureWords,
  type SummarySearch,
  splitGroup,
  splitMeasure,
} from "../model/summary-search.js";
import { Issues } from "../ui/issues.js";

interface ChoiceProps {
  readonly model: ModelInfo;
  readonly models: readonly ModelInfo[];
  readonly summary: SummarySearch;
  /** The error of the last request, shown beside what it names. */
  readonly error: unknown;
  readonly onChange: (change: SummarySearch) => void;
}

/** What a summary groups by and measures. */
export function SummaryChoice({ model, models, summary, error, onChange }: ChoiceProps) {
  const { groupBy = [], measures = ["count"], timeZone } = summary;
  const hasPeriod = groupBy.some((name) => splitGroup(name)[1] !== undefined);
  return (
    <div className="row summary-choice">
      <fieldset>
        <legend>Group by</legend>
        <div className="row">
          {[...groupBy, ...(groupBy.length < maxGroups ? [""] : [])].map((name, at) => (
            <GroupChoice
              // biome-ignore lint/suspicious/noArrayIndexKey: groups are identified only by their position.
              key={at}
              model={model}
              models={models}
              label={at === 0 ? "Group by" : "Then by"}
              name={name}
              used={groupBy}
              onChange={(next) => onChange({ groupBy: [...replaced(groupBy, at, next)] })}
            />
          ))}
          {hasPeriod && <TimeZone key={timeZone} given={timeZone} onChange={(next) => onChange({ timeZone: next })} />}
        </div>
        <Issues error={error} of={["groupBy", "timeZone"]} />
      </fieldset>
      <fieldset>
        <legend>Measure</legend>
        <div className="row">
          {measures.map((name, at) => (
            <MeasureChoice
              // biome-ignore lint/suspicious/noArrayIndexKey: measures are identified only by their position.
              key={at}
              model={model}
              name={name}
              used={measures}
              onChange={(next) => onChange({ measures: replaced(measures, at, next) })}
              onRemove={measures.length === 1 ? undefined : () => onChange({ measures: replaced(measures, at, "") })}
            />
          ))}
          {measures.length < maxMeasures && (
            <button
              type="button"
              className="small"
              disabled={nextMeasure(model, measures) === undefined}
              onClick={() => onChange({ measures: [...measures, nextMeasure(model, measures) ?? "count"] })}
            >
              + Measure
            </button>
          )}
        </div>
        <Issues error={error} of={["count", ...measureFunctions]} />
      </fieldset>
    </div>
  );
}

/** The list with another item; without it if that is empty. */
const replaced = (all: readonly string[], at: number, by: string): readonly string[] =>
  [...all.slice(0, at), by, ...all.slice(at + 1)].filter((each) => each !== "");

/** The first measure that is not used. */
const nextMeasure = (model: ModelInfo, used: readonly string[]): string | undefined =>
  ["count", ...measureFunctions.flatMap((word) => namesOf(model, word))].find((name) => !used.includes(name));

const namesOf = (model: ModelInfo, word: MeasureFunction): readonly string[] =>
  measureFields(model, word)
    // The sum of ids has no meaning, so they come last.
    .toSorted((a, b) => Number(isKey(model, a)) - Number(isKey(model, b)))
    .map(({ name }) => `${word}.${name}`);

const isKey = (model: ModelInfo, { name, keyOf }: FieldInfo): boolean =>
  keyOf !== undefined || model.key.includes(name);

interface GroupProps {
  readonly model: ModelInfo;
  readonly models: readonly ModelInfo[];
  readonly label: string;
  /** Empty if nothing is selected. */
  readonly name: string;
  readonly used: readonly string[];
  readonly onChange: (name: string) => void;
}

function GroupChoice({ model, models, label, name, used, onChange }: GroupProps) {
  const [path, period] = splitGroup(name);
  const field = groupField(model, models, path);
  const select = (next: string) => {
    const isDate = groupField(model, models, next)?.kind === "datetime";
    onChange(isDate ? `${next}:month` : next);
  };
  const optionsOf = (fields: readonly FieldInfo[], prefix = ""): ReactNode =>
    fields.map((each) => (
      <Option
        key={each.name}
        value={`${prefix}${each.name}`}
        isUsed={used.includes(`${prefix}${each.name}`)}
        own={path}
      >
        {each.title}
      </Option>
    ));
  return (
    <span className="condition">
      <select aria-label={label} value={path} onChange={({ target }) => select(target.value)}>
        <option value="">{label === "Group by" ? "All rows" : "Nothing else"}</option>
        {path !== "" && field === undefined && <option value={path}>{path}</option>}
        <optgroup label={model.title}>{optionsOf(groupFields(model))}</optgroup>
        {groupRelations(model, models).map(({ relation, target }) => (
          <optgroup key={relation.name} label={relation.title}>
            {optionsOf(groupFields(target), `${relation.name}.`)}
          </optgroup>
        ))}
      </select>
      {(field?.kind === "datetime" || period !== undefined) && (
        <select
          aria-label={`Period of ${field?.title ?? path}`}
          value={period ?? ""}
          onChange={({ target }) => onChange(target.value === "" ? path : `${path}:${target.value}`)}
        >
          {period !== undefined && !periods.some((each) => each === period) && <option>{period}</option>}
          {periods.map((each) => (
            <Option key={each} value={each} isUsed={used.includes(`${path}:${each}`)} own={period}>
              {each}
            </Option>
          ))}
          <Option value="" isUsed={used.includes(path)} own={period ?? ""}>
            exact time
          </Option>
        </select>
      )}
    </span>
  );
}

interface OptionProps {
  readonly value: string;
  /** Whether it is selected here or elsewhere. */
  readonly isUsed: boolean;
  /** The value that is selected here. */
  readonly own: string | undefined;
  readonly children: ReactNode;
}

/** An option that cannot be selected twice. */
const Option = ({ value, isUsed, own, children }: OptionProps) => (
  <option value={value} disabled={isUsed && value !== own}>
    {children}
  </option>
);

interface MeasureProps {
  readonly model: ModelInfo;
  readonly name: string;
  readonly used: readonly string[];
  readonly onChange: (name: string) => void;
  readonly onRemove: (() => void) | undefined;
}

function MeasureChoice({ model, name, used, onChange, onRemove }: MeasureProps) {
  const [word, path] = splitMeasure(name) ?? ["count", ""];
  const isUnused = (each: string): boolean => each === name || !used.includes(each);
  const firstOf = (each: MeasureFunction): string | undefined => {
    const names = namesOf(model, each).filter(isUnused);
    return names.find((one) => one === `${each}.${path}`) ?? names[0];
  };
  const fields = word === "count" ? [] : measureFields(model, word);
  return (
    <span className="condition">
      <select
        aria-label="Measure"
        value={word}
        onChange={({ target }) =>
          onChange(target.value === "count" ? "count" : (firstOf(target.value as MeasureFunction) ?? name))
        }
      >
        <Option value="count" isUsed={used.includes("count")} own={word}>
          Count
        </Option>
        {measureFunctions.map((each) => (
          <option key={each} value={each} disabled={firstOf(each) === undefined}>
            {measureWords[each]}
          </option>
        ))}
      </select>
      {word !== "count" && (
        <select
          aria-label={`${measureWords[word]} field`}
          value={path}
          onChange={({ target }) => onChange(`${word}.${target.value}`)}
        >
          {!fields.some((field) => field.name === path) && <option value={path}>{path}</option>}
          {fields.map((field) => (
            <Option key={field.name} value={field.name} isUsed={used.includes(`${word}.${field.name}`)} own={path}>
              {field.title}
            </Option>
          ))}
        </select>
      )}
      {onRemove !== undefined && (
        <button type="button" className="quiet" aria-label={`Remove the measure ${name}`} onClick={onRemove}>
          ✕
        </button>
      )}
    </span>
  );
}

interface TimeZoneProps {
  readonly given: string | undefined;
  readonly onChange: (timeZone: string | undefined) => void;
}

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone")];

/** The time zone of periods, which is applied when the input loses the focus or with Enter. */
function TimeZone({ given, onChange }: TimeZoneProps) {
  const apply = (text: string) => {
    const next = text.trim();
    if (next !== (given ?? "")) onChange(next === "" ? undefined : next);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        apply(String(new FormData(event.currentTarget).get("timeZone")));
      }}
    >
      <label className="inline">
        Time zone
        <input
          name="timeZone"
          list="summary-time-zones"
          defaultValue={given}
          placeholder="UTC"
          onBlur={({ target }) => apply(target.value)}
        />
      </label>
      <datalist id="summary-time-zones">
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </form>
  );
}
