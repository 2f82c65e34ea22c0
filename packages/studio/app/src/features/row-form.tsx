import { isApiError } from "@servicekit/client";
import { useBlocker } from "@tanstack/react-router";
import { type FormEvent, useRef, useState } from "react";
import type { Row } from "../api/shop.js";
import { type Draft, type FormField, readDraft } from "../model/form-fields.js";
import { Problem } from "../ui/problem.js";
import { FieldInput } from "./inputs.js";

interface RowFormProps {
  readonly fields: readonly FormField[];
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  /** What is sent of the inputs. */
  readonly onSave: (body: Row) => Promise<void>;
  readonly words: string;
  /** Whether something is written in it that is not saved. */
  readonly isTouched: boolean;
  readonly isNew?: boolean;
}

/** The first part of a JSON pointer, which is the field. */
const fieldOf = (pointer: string): string => (pointer.split("/")[1] ?? "").replaceAll("~1", "/").replaceAll("~0", "~");

/** A form of a row: what the service finds wrong stands at its field. */
export function RowForm({ fields, draft, onDraft, onSave, words, isTouched, isNew = false }: RowFormProps) {
  const [error, setError] = useState<unknown>();
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const [isBusy, setBusy] = useState(false);
  // What is being saved leads on by itself.
  const isSaving = useRef(false);
  const isLeft = (): boolean => isTouched && !isSaving.current;
  useBlocker({
    shouldBlockFn: () => isLeft() && !window.confirm("Leave the form? What you have written in it is lost."),
    enableBeforeUnload: isLeft,
  });

  const save = async (event: FormEvent) => {
    event.preventDefault();
    const read = readDraft(fields, draft);
    const missing = isNew
      ? fields.filter(({ name, isRequired }) => isRequired && read.body[name] === undefined && !read.faults.has(name))
      : [];
    const found = new Map([...read.faults, ...missing.map(({ name }) => [name, "is required"] as const)]);
    setFaults(found);
    setError(undefined);
    if (found.size > 0) return focusFirst();
    setBusy(true);
    isSaving.current = true;
    try {
      await onSave(read.body);
    } catch (fault) {
      setError(fault);
      if (isApiError(fault)) {
        const told = fault.errors
          .filter((each) => each.in === "body" || each.in === "files")
          .map((each) => [fieldOf(each.path), each.message] as const);
        setFaults(new Map(told.filter(([name]) => fields.some((field) => field.name === name))));
        focusFirst();
      }
    } finally {
      setBusy(false);
      isSaving.current = false;
    }
  };
  return (
    <form className="row-form" noValidate onSubmit={(event) => void save(event)}>
      <div className="fields">
        {fields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            value={draft[field.name]}
            fault={faults.get(field.name)}
            onChange={(value) => onDraft({ ...draft, [field.name]: value })}
          />
        ))}
      </div>
      <Problem error={error} hides={fields.filter(({ name }) => faults.has(name)).map(({ name }) => `/${name}`)} />
      <button type="submit" className="primary" disabled={isBusy}>
        {isBusy ? "Saving…" : words}
      </button>
    </form>
  );
}

/** Whoever does not see the form is led to what is wrong. */
function focusFirst(): void {
  setTimeout(() =>
    document
      .querySelector<HTMLElement>(".field.invalid input, .field.invalid select, .field.invalid textarea")
      ?.focus(),
  );
}
