import { useState } from "react";
import type { Row } from "../api/shop.js";
import type { ModelInfo } from "../model/model-info.js";
import { Dialog } from "../ui/dialog.js";
import { Problem } from "../ui/problem.js";
import { Value } from "../ui/value.js";
import "./conflict.css";

interface ConflictProps {
  readonly model: ModelInfo;
  readonly before: Row;
  readonly mine: Row;
  readonly now: Row;
  readonly onOwn: () => Promise<void>;
  readonly onOther: () => void;
  readonly onClose: () => void;
}

const differs = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);

/** The row has changed since the form was opened: shows both versions and the choices. */
export function Conflict({ model, before, mine, now, onOwn, onOther, onClose }: ConflictProps) {
  const [error, setError] = useState<unknown>();
  const names = model.fields.filter(
    ({ name, kind }) => kind !== "relation" && (name in mine || (name in now && differs(before[name], now[name]))),
  );
  return (
    <Dialog title="Changed by another user" onClose={onClose}>
      <p>This row has changed since you opened the form. Your changes are not saved yet.</p>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th>Field</th>
              <th>When you opened it</th>
              <th>Current value</th>
              <th>Your value</th>
            </tr>
          </thead>
          <tbody>
            {names.map((field) => (
              <tr key={field.name}>
                <th scope="row">{field.title}</th>
                <td>
                  <Value field={field} value={before[field.name]} />
                </td>
                <td className={differs(before[field.name], now[field.name]) ? "changed" : ""}>
                  <Value field={field} value={now[field.name]} />
                </td>
                <td className={field.name in mine ? "changed" : ""}>
                  <Value field={field} value={field.name in mine ? mine[field.name] : now[field.name]} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Problem error={error} />
      <div className="row end">
        <button type="button" onClick={onOther}>
          Use current values
        </button>
        <button type="button" className="primary" onClick={() => void onOwn().catch(setError)}>
          Overwrite with mine
        </button>
      </div>
    </Dialog>
  );
}
