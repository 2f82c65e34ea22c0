import { isApiError } from "@servicekit/client";
import { useBlocker } from "@tanstack/react-router";
import { type FormEvent, useEffect, useRef, useState } from "react";
import type { Row } from "../api/shop.js";
import { type Draft, type FormField, readDraft } from "../model/form-fields.js";
import { Problem } from "../ui/problem.js";
import { FieldInput } from "./inputs.js";

interface RowFormProps {
  readonly fields: readonly FormField[];
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  /** The body of the inputs. */
  readonly onSave: (body: Row) => Promise<void>;
  readonly words: string;
  /** Whether there are unsaved changes. */
  readonly isTouched: boolean;
  readonly isNew?: boolean;
  /** Closes the form without saving. */
  readonly onCancel?: () => void;
  /** The field that is edited first. */
  readonly firstField?: string | undefined;
}

/** The first segment of a JSON pointer, which is the field. */
const fieldOf = (pointer: string): string => (pointer.split("/")[1] ?? "").replaceAll("~1", "/").replaceAll("~0", "~");

/** A form of a row, which shows errors of the service at their fields. */
export function RowForm({ fields, draft, onDraft, onSave, words, isTouched, isNew = false, ...props }: RowFormProps) {
  const { onCancel, firstField } = props;
  const form = useRef<HTMLFormElement>(null);
  const [error, setError] = useState<unknown>();
  const [issues, setIssues] = useState<ReadonlyMap<string, string>>(new Map());
  const [isBusy, setBusy] = useState(false);
  // Saving navigates away by itself.
  const isSaving = useRef(false);
  const isLeft = (): boolean => isTouched && !isSaving.current;
  useBlocker({
    shouldBlockFn: () => isLeft() && !window.confirm("Leave the form? Your changes are lost."),
    enableBeforeUnload: isLeft,
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the form opens.
  useEffect(() => {
    const at = fields.findIndex(({ name }) => name === firstField);
    form.current?.querySelectorAll(".field")[at]?.querySelector<HTMLElement>(inputs)?.focus();
  }, []);

  const save = async (event: FormEvent) => {
    event.preventDefault();
    const read = readDraft(fields, draft);
    const missing = isNew
      ? fields.filter(({ name, isRequired }) => isRequired && read.body[name] === undefined && !read.issues.has(name))
      : [];
    const found = new Map([...read.issues, ...missing.map(({ name }) => [name, "is required"] as const)]);
    setIssues(found);
    setError(undefined);
    if (found.size > 0) return focusFirst();
    setBusy(true);
    isSaving.current = true;
    try {
      await onSave(read.body);
    } catch (failure) {
      setError(failure);
      if (isApiError(failure)) {
        const fieldErrors = failure.errors
          .filter((each) => each.in === "body" || each.in === "files")
          .map((each) => [fieldOf(each.path), each.message] as const);
        setIssues(new Map(fieldErrors.filter(([name]) => fields.some((field) => field.name === name))));
        focusFirst();
      }
    } finally {
      setBusy(false);
      isSaving.current = false;
    }
  };
  return (
    <form ref={form} className="row-form" noValidate onSubmit={(event) => void save(event)}>
      <div className="fields">
        {fields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            value={draft[field.name]}
            issue={issues.get(field.name)}
            onChange={(value) => onDraft({ ...draft, [field.name]: value })}
          />
        ))}
      </div>
      <Problem error={error} hides={fields.filter(({ name }) => issues.has(name)).map(({ name }) => `/${name}`)} />
      <div className="row">
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? "Saving…" : words}
        </button>
        {onCancel !== undefined && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
      </div>
    </form>
  );
}

const inputs = "input, select, textarea";

/** Moves the focus to the first error. */
function focusFirst(): void {
  setTimeout(() => document.querySelector<HTMLElement>(`.field.invalid :is(${inputs})`)?.focus());
}
