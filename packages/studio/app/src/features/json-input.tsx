import { useRef } from "react";
import { formatJson, jsonIssue } from "../model/json-text.js";
import "./json-input.css";

interface JsonInputProps {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly placeholder: string;
  readonly isInvalid: boolean;
  readonly describedBy: string;
}

/** An editor of JSON with line numbers, the place of the first error, and a button that indents the text. */
export function JsonInput({ id, title, text, onChange, placeholder, isInvalid, describedBy }: JsonInputProps) {
  const numbers = useRef<HTMLDivElement>(null);
  const issue = text.trim() === "" ? undefined : jsonIssue(text);
  const lines = text.split("\n");
  const status = `${id}-status`;
  return (
    <div className="json-input">
      <div className="json-text">
        <div className="json-numbers" ref={numbers} aria-hidden="true">
          {lines.map((_line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines differ only in their position.
            <div key={at} className={issue?.line === at + 1 ? "bad" : undefined}>
              {at + 1}
            </div>
          ))}
        </div>
        <textarea
          id={id}
          rows={Math.min(20, Math.max(4, lines.length))}
          wrap="off"
          spellCheck={false}
          autoComplete="off"
          placeholder={placeholder}
          aria-invalid={isInvalid || issue !== undefined}
          aria-describedby={`${status} ${describedBy}`}
          value={text}
          onChange={({ target }) => onChange(target.value)}
          onScroll={({ currentTarget }) => {
            if (numbers.current !== null) numbers.current.scrollTop = currentTarget.scrollTop;
          }}
        />
      </div>
      <div className="json-status">
        <span id={status} className={issue === undefined ? "dim" : "bad"} aria-live="polite">
          {issue === undefined
            ? text.trim() !== "" && "Valid JSON"
            : `Line ${issue.line}, column ${issue.column}: ${issue.message}`}
        </span>
        <button
          type="button"
          className="quiet small"
          disabled={text.trim() === "" || issue !== undefined}
          onClick={() => onChange(formatJson(text))}
        >
          Format<span className="hidden"> {title}</span>
        </button>
      </div>
    </div>
  );
}
