import { Link } from "@tanstack/react-router";
import { useModels } from "../api/discovery.js";
import type { ModelInfo, Operation } from "../model/model-info.js";
import { Problem, Waiting } from "../ui/problem.js";
import "../ui/tiles.css";

const words: readonly (readonly [Operation, string])[] = [
  ["findMany", "read"],
  ["createOne", "create"],
  ["updateOne", "change"],
  ["deleteOne", "delete"],
];

/** Every model that the visitor may read, with the other permitted operations. */
export function Home() {
  const models = useModels();
  if (models.isPending) return <Waiting />;
  const open = (models.data ?? []).filter((model) => model.may("findMany"));
  return (
    <>
      <h1>Data</h1>
      <Problem error={models.error} />
      {models.data !== undefined && open.length === 0 && <p>You may not read any model.</p>}
      <ul className="tiles">
        {open.map((model) => (
          <li key={model.name} className="card">
            <Link to="/data/$model" params={{ model: model.name }}>
              {model.title}
            </Link>
            <p className="dim">
              {model.fields.length} fields · {mayWhat(model)}
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}

const mayWhat = (model: ModelInfo): string =>
  words.flatMap(([operation, word]) => (model.may(operation) ? [word] : [])).join(", ");
