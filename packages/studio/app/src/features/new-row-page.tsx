import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useModel, useModels } from "../api/discovery.js";
import { type Row, rows } from "../api/shop.js";
import { useApiDocument } from "../model/document.js";
import { type Draft, rowFields, toSent } from "../model/form-fields.js";
import { keyOf, writeKey } from "../model/model-info.js";
import { NotFound, Waiting } from "../ui/problem.js";
import { RowForm } from "./row-form.js";

/** Creates a row. Untouched fields are not sent, so that their defaults apply. */
export function NewRowPage() {
  const { model: name } = useParams({ from: "/data/$model/new" });
  const { from = {} } = useSearch({ from: "/data/$model/new" });
  const models = useModels();
  const model = useModel(name);
  const document = useApiDocument();
  const [draft, setDraft] = useState<Draft>(from);
  const navigate = useNavigate();
  const queries = useQueryClient();
  if (models.isPending || document.isPending) return <Waiting />;
  if (model === undefined) return <NotFound />;
  const fields = rowFields(document.data, model, "create");
  const save = async (body: Row) => {
    const made = await rows.create(model, toSent(body, fields));
    await queries.invalidateQueries({ queryKey: ["rows"] });
    const key = made === undefined ? undefined : keyOf(model, made.data);
    if (key === undefined) await navigate({ to: "/data/$model", params: { model: name } });
    else await navigate({ to: "/data/$model/row/$key", params: { model: name, key: writeKey(key) } });
  };
  return (
    <>
      <p className="path">
        <Link to="/data/$model" params={{ model: name }}>
          {model.title}
        </Link>{" "}
        /
      </p>
      <h1>New {model.one}</h1>
      <RowForm
        fields={fields}
        draft={draft}
        onDraft={setDraft}
        onSave={save}
        words="Create"
        isTouched={Object.keys(draft).some((each) => draft[each] !== from[each])}
        isNew
      />
    </>
  );
}
