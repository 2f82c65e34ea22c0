import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callRoute, type Row, rows } from "../api/shop.js";
import type { ModelInfo } from "../model/model-info.js";
import { Dialog } from "../ui/dialog.js";
import { Problem } from "../ui/problem.js";

interface WebhookActionsProps {
  readonly model: ModelInfo;
  readonly keyValues: readonly string[];
  readonly row: Row;
  /** The version in which the row was read. */
  readonly state: string | false;
}

/** What a webhook can do besides other rows (contract C112): a new secret, and activation after failures. */
export function WebhookActions({ model, keyValues, row, state }: WebhookActionsProps) {
  const [isRotating, setRotating] = useState(false);
  const [error, setError] = useState<unknown>();
  const queries = useQueryClient();
  const activate = async () => {
    setError(undefined);
    try {
      await rows.update(model, keyValues, { active: true }, state);
      await queries.invalidateQueries({ queryKey: ["rows"] });
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <>
      <Problem error={error} />
      {row.active === false && model.may("updateOne") && (
        <button type="button" className="primary" onClick={() => void activate()}>
          Activate again
        </button>
      )}
      {model.may("rotateSecret") && (
        <button type="button" onClick={() => setRotating(true)}>
          Rotate secret
        </button>
      )}
      {isRotating && <Rotate model={model} keyValues={keyValues} onClose={() => setRotating(false)} />}
    </>
  );
}

interface RotateProps extends Pick<WebhookActionsProps, "model" | "keyValues"> {
  readonly onClose: () => void;
}

function Rotate({ model, keyValues, onClose }: RotateProps) {
  const [secret, setSecret] = useState<string>();
  const [error, setError] = useState<unknown>();
  const rotate = async () => {
    setError(undefined);
    try {
      const params = { id: keyValues[0] };
      const { data } = (await callRoute(`POST ${model.path}/:id/rotate-secret`, { params })) as {
        readonly data: { readonly secret: string };
      };
      setSecret(data.secret);
    } catch (failure) {
      setError(failure);
    }
  };
  if (secret !== undefined)
    return (
      <Dialog title="New secret" onClose={onClose}>
        <p>Copy the secret now: it is not shown again. The previous one signs messages too for 24 hours.</p>
        <pre>{secret}</pre>
        <div className="row end">
          <button type="button" className="primary" onClick={onClose}>
            Done
          </button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title="Rotate the secret?" onClose={onClose}>
      <p>The webhook gets a new secret. Messages are signed with both secrets for 24 hours.</p>
      <Problem error={error} />
      <div className="row end">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="primary" onClick={() => void rotate()}>
          Rotate
        </button>
      </div>
    </Dialog>
  );
}
