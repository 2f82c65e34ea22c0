import { type ReactNode, useEffect, useId, useState } from "react";
import { useModels } from "../api/discovery.js";
import type { FormField } from "../model/form-fields.js";
import { pictureOf, Value } from "../ui/value.js";
import { JsonInput } from "./json-input.js";
import { RelationPicker, useLabel } from "./relation-picker.js";
import "./inputs.css";

interface InputProps {
  readonly field: FormField;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly issue: string | undefined;
}

/** A description from the schema, whose code is between backticks. */
const withCode = (text: string): ReactNode[] =>
  text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 0 ? part : <code key={part}>{part}</code>));

/** A labelled input of a field, with its description and error. */
export function FieldInput({ field, value, onChange, issue }: InputProps) {
  const id = useId();
  const { title, isRequired, isNullable, description } = field;
  const about = `${id}-about`;
  const isGroup = field.isList && field.file === undefined;
  return (
    <div className={issue === undefined ? "field" : "field invalid"}>
      <div className="field-name">
        {isGroup ? (
          <span id={`${id}-label`} className="label">
            {title}
          </span>
        ) : (
          <label htmlFor={id}>{title}</label>
        )}
        {isRequired && <small className="dim">required</small>}
      </div>
      <div className="field-input">
        <Editor field={field} value={value} onChange={onChange} id={id} about={about} isInvalid={issue !== undefined} />
      </div>
      {isNullable && value !== null && (
        <button type="button" className="quiet small" onClick={() => onChange(null)}>
          set null<span className="hidden"> for {title}</span>
        </button>
      )}
      <div id={about} className="field-about">
        {issue !== undefined && (
          <p className="error" role="alert">
            {issue}
          </p>
        )}
        {description !== undefined && <p className="dim hint">{withCode(description)}</p>}
      </div>
    </div>
  );
}

interface EditorProps extends Omit<InputProps, "issue"> {
  readonly id: string;
  readonly about: string;
  readonly isInvalid: boolean;
}

function Editor(props: EditorProps): ReactNode {
  const { field, value, onChange, id, about, isInvalid } = props;
  if (field.file !== undefined) return <Files {...props} />;
  if (field.isList) return field.kind === "enum" ? <Choices {...props} /> : <List {...props} />;
  if (field.relation !== undefined) return <Related {...props} />;
  const common = {
    id,
    "aria-describedby": about,
    "aria-invalid": isInvalid,
    placeholder: value === null ? "null" : "",
  };
  const text = value === undefined || value === null ? "" : String(value);
  const set = (next: string) =>
    onChange(next === "" && field.kind !== "text" ? (field.isNullable ? null : undefined) : next);
  switch (field.kind) {
    case "boolean":
      return (
        <select
          {...common}
          value={text}
          onChange={({ target }) =>
            onChange(target.value === "" ? (field.isNullable ? null : undefined) : target.value === "true")
          }
        >
          {(value === undefined || field.isNullable) && <option value="">{value === null ? "null" : "—"}</option>}
          <option value="true">yes</option>
          <option value="false">no</option>
        </select>
      );
    case "enum":
      return (
        <select {...common} value={text} onChange={({ target }) => set(target.value)}>
          {(value === undefined || field.isNullable) && <option value="">{value === null ? "null" : "—"}</option>}
          {field.values.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      );
    case "datetime":
      return field.isDay ? (
        <input {...common} type="date" value={text} onChange={({ target }) => set(target.value)} />
      ) : (
        <span className="row">
          <input
            {...common}
            type="datetime-local"
            step="0.001"
            value={text}
            onChange={({ target }) => set(target.value)}
          />
          <span className="dim">UTC</span>
        </span>
      );
    case "json":
      return (
        <JsonInput
          id={id}
          title={field.title}
          text={text}
          onChange={set}
          placeholder={common.placeholder}
          isInvalid={isInvalid}
          describedBy={about}
        />
      );
    case "bytes":
      return <Bytes {...props} />;
    case "text":
      if (field.isLong)
        return (
          <textarea
            {...common}
            rows={Math.min(8, 2 + text.split("\n").length)}
            value={text}
            onChange={({ target }) => set(target.value)}
          />
        );
      return (
        <input
          {...common}
          type={/^password$/i.test(field.name) ? "password" : "text"}
          autoComplete={/^password$/i.test(field.name) ? "new-password" : "off"}
          value={text}
          onChange={({ target }) => set(target.value)}
        />
      );
    default:
      return (
        <input
          {...common}
          inputMode={field.kind === "integer" || field.kind === "bigint" ? "numeric" : "decimal"}
          autoComplete="off"
          value={text}
          onChange={({ target }) => set(target.value)}
        />
      );
  }
}

function Choices({ field, value, onChange, id }: EditorProps) {
  const chosen = Array.isArray(value) ? value.map(String) : [];
  return (
    // biome-ignore lint/a11y/useSemanticElements: its label is outside, like those of other inputs.
    <div role="group" className="choices" aria-labelledby={`${id}-label`}>
      {field.values.map((each) => (
        <label key={each}>
          <input
            type="checkbox"
            checked={chosen.includes(each)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, each] : chosen.filter((one) => one !== each))
            }
          />
          {each}
        </label>
      ))}
    </div>
  );
}

function List({ field, value, onChange, id, isInvalid }: EditorProps) {
  const items = Array.isArray(value) ? value.map(String) : [];
  return (
    // biome-ignore lint/a11y/useSemanticElements: its label is outside, like those of other inputs.
    <div role="group" aria-labelledby={`${id}-label`} className="list">
      {items.map((each, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items of a list are identified only by their position.
        <span className="row" key={at}>
          <input
            aria-label={`${field.title}, item ${at + 1}`}
            aria-invalid={isInvalid}
            value={each}
            onChange={({ target }) => onChange(items.map((one, index) => (index === at ? target.value : one)))}
          />
          <button
            type="button"
            className="quiet"
            aria-label={`Remove item ${at + 1} of ${field.title}`}
            onClick={() => onChange(items.filter((_one, index) => index !== at))}
          >
            ✕
          </button>
        </span>
      ))}
      <button type="button" className="small" onClick={() => onChange([...items, ""])}>
        + Item
      </button>
    </div>
  );
}

/** A foreign key, selected by the name of its row; a plain input if the visitor may not read those rows. */
function Related({ field, value, onChange, id, about, isInvalid }: EditorProps) {
  const models = useModels().data ?? [];
  const target = models.find(({ name, may }) => name === field.relation?.relation && may("findMany"));
  const pointed = field.relation?.references?.[field.name] ?? "id";
  const isKey = target?.key.length === 1 && target.key[0] === pointed;
  const text = value === undefined || value === null ? "" : String(value);
  const label = useLabel(target, isKey && text !== "" ? [text] : undefined);
  if (target === undefined)
    return (
      <input
        id={id}
        aria-describedby={about}
        aria-invalid={isInvalid}
        autoComplete="off"
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  return (
    <RelationPicker
      id={id}
      model={target}
      label={field.title}
      chosen={isKey ? label : text}
      isInvalid={isInvalid}
      describedBy={about}
      onPick={(row) => onChange(row[pointed])}
    />
  );
}

/** The stored file, and the one to upload. */
function Files({ field, value, onChange, id, about, isInvalid }: EditorProps) {
  const chosen = [value].flat().filter((each): each is File => each instanceof File);
  return (
    <span className="row">
      {value !== null && value !== undefined && chosen.length === 0 && <Value field={field} value={value} />}
      {chosen.map((file) => (
        <Chosen key={`${file.name} ${file.size} ${file.lastModified}`} file={file} />
      ))}
      <input
        id={id}
        type="file"
        multiple={field.file === "many"}
        aria-describedby={about}
        aria-invalid={isInvalid}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          if (files.length > 0) onChange(field.file === "many" ? files : files[0]);
        }}
      />
    </span>
  );
}

/** A local file before the upload. */
function Chosen({ file }: { readonly file: File }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!/^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(file.type)) return;
    const made = URL.createObjectURL(file);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return (
    <>
      {address !== undefined && <img className="thumbnail" src={address} alt={file.name} />}
      <span className="dim">
        {file.name}, {file.size.toLocaleString("en")} bytes
      </span>
    </>
  );
}

function Bytes({ field, value, onChange, id, about }: EditorProps) {
  const picture = typeof value === "string" ? pictureOf(value) : undefined;
  const read = (file: File | undefined) => {
    if (file === undefined) return;
    const reader = new FileReader();
    reader.onload = () => onChange(String(reader.result).replace(/^[^,]*,/, ""));
    reader.readAsDataURL(file);
  };
  return (
    <span className="row">
      {picture !== undefined && <img className="thumbnail" src={picture} alt={field.title} />}
      {typeof value === "string" && <span className="dim">{Math.floor((value.length * 3) / 4)} bytes</span>}
      <input id={id} type="file" aria-describedby={about} onChange={({ target }) => read(target.files?.[0])} />
    </span>
  );
}
