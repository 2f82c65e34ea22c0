import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Row, rows } from "../api/shop.js";
import { labelOf, type ModelInfo } from "../model/model-info.js";
import { Dialog } from "../ui/dialog.js";
import { Problem } from "../ui/problem.js";

interface DeletedProps {
  readonly model: ModelInfo;
  readonly keyValues: readonly string[];
  readonly row: Row;
  /** The version in which it was read. */
  readonly state: string | false;
}

/** The actions on a deleted row: restore it, or delete it permanently. */
export function Deleted({ model, keyValues, row, state }: DeletedProps) {
  const [error, setError] = useState<unknown>();
  const [isDeleting, setDeleting] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    setError(undefined);
    try {
      await work();
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    }
  };
  const restore = async () => {
    if (await run(() => rows.restore(model, keyValues, state))) await queries.invalidateQueries({ queryKey: ["rows"] });
  };
  const remove = async () => {
    if (!(await run(() => rows.deletePermanently(model, keyValues, state)))) return;
    await navigate({ to: "/data/$model", params: { model: model.name }, search: { deleted: "only" } });
    await queries.invalidateQueries({ queryKey: ["rows"] });
  };
  return (
    <>
      <span className="dim" role="status">
        Deleted
      </span>
      {!isDeleting && <Problem error={error} />}
      {model.may("restoreOne") && (
        <button type="button" className="primary" onClick={() => void restore()}>
          Restore
        </button>
      )}
      {model.may("deleteOne") && model.may("deletePermanently") && (
        <button type="button" className="danger" onClick={() => setDeleting(true)}>
          Delete permanently
        </button>
      )}
      {isDeleting && (
        <Dialog title="Delete this row permanently?" onClose={() => setDeleting(false)}>
          <p>
            <strong>{labelOf(model, row)}</strong> of {model.title} cannot be restored afterwards.
          </p>
          <Problem error={error} />
          <div className="row end">
            <button type="button" onClick={() => setDeleting(false)}>
              Cancel
            </button>
            <button type="button" className="danger" onClick={() => void remove()}>
              Delete permanently
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
