import dagre from "@dagrejs/dagre";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useModels } from "../api/discovery.js";
import type { ModelInfo } from "../model/model-info.js";
import { Problem, Waiting } from "../ui/problem.js";
import "./models-page.css";

interface Box {
  readonly model: ModelInfo;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Line {
  readonly id: string;
  readonly points: string;
  readonly label: string;
}

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

const lineHeight = 18;
const head = 30;
const width = 210;

const rowsOf = (model: ModelInfo, isDetailed: boolean) =>
  model.fields.filter(
    ({ kind, name, keyOf }) => kind !== "relation" && (isDetailed || model.key.includes(name) || keyOf !== undefined),
  );

/** Places the models so that related ones are near each other. */
function draw(models: readonly ModelInfo[], isDetailed: boolean): Picture {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 24, ranksep: 70, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  const names = new Set(models.map(({ name }) => name));
  for (const model of models)
    graph.setNode(model.name, { width, height: head + rowsOf(model, isDetailed).length * lineHeight + 8 });
  for (const model of models) {
    for (const field of model.fields) {
      const { kind, relation, opposite } = field;
      // A self-relation is shown only by its foreign key.
      if (kind !== "relation" || relation === undefined || !names.has(relation) || relation === model.name) continue;
      const other = models.find(({ name }) => name === relation)?.field(opposite ?? "");
      // Each relation once: from the side with the key, otherwise from the first by name.
      const isHere =
        field.references !== undefined ||
        (other?.references === undefined && `${model.name}.${field.name}` <= `${relation}.${opposite ?? ""}`);
      const isLone = other === undefined;
      if (isHere || isLone) graph.setEdge(model.name, relation, { label: field.title }, `${model.name}.${field.name}`);
    }
  }
  dagre.layout(graph);
  const size = graph.graph();
  return {
    width: size.width ?? 0,
    height: size.height ?? 0,
    boxes: models.map((model) => {
      const { x, y, height } = graph.node(model.name) as { x: number; y: number; height: number };
      return { model, x: x - width / 2, y: y - height / 2, width, height };
    }),
    lines: graph.edges().map((edge) => {
      const { points, label } = graph.edge(edge) as unknown as { points: { x: number; y: number }[]; label: string };
      return {
        id: edge.name ?? `${edge.v}${edge.w}`,
        points: points.map(({ x, y }) => `${Math.round(x)},${Math.round(y)}`).join(" "),
        label,
      };
    }),
  };
}

/** The models and their relations as a diagram. */
export function ModelsPage() {
  const models = useModels();
  const [isDetailed, setDetailed] = useState(false);
  const [zoom, setZoom] = useState(1);
  const picture = useMemo(() => draw(models.data ?? [], isDetailed), [models.data, isDetailed]);
  if (models.isPending) return <Waiting />;
  return (
    <>
      <div className="row head">
        <h1>Models</h1>
        <span className="dim">{models.data?.length} models that you may read</span>
        <span className="grow" />
        <label className="inline">
          <input type="checkbox" checked={isDetailed} onChange={({ target }) => setDetailed(target.checked)} />
          All fields
        </label>
        <label className="inline">
          <span className="dim">Size</span>
          <input
            type="range"
            min="0.3"
            max="1.5"
            step="0.1"
            value={zoom}
            onChange={({ target }) => setZoom(Number(target.value))}
          />
        </label>
      </div>
      <Problem error={models.error} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
      <section className="scroll picture" aria-label="Diagram of the models" tabIndex={0}>
        <svg
          width={picture.width * zoom}
          height={picture.height * zoom}
          viewBox={`0 0 ${picture.width} ${picture.height}`}
        >
          <title>{`${models.data?.length ?? 0} models and their relations`}</title>
          <defs>
            <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
              <path d="M0 0 L8 4 L0 8 z" className="arrow" />
            </marker>
          </defs>
          {picture.lines.map(({ id, points, label }) => (
            <polyline key={id} points={points} className="relation" markerEnd="url(#arrow)">
              <title>{label}</title>
            </polyline>
          ))}
          {picture.boxes.map((box) => (
            <Entity key={box.model.name} {...box} isDetailed={isDetailed} />
          ))}
        </svg>
      </section>
      <details>
        <summary>As text</summary>
        <ul>
          {(models.data ?? []).map((model) => (
            <li key={model.name}>
              {model.title}
              {": "}
              {model.fields
                .filter(({ kind }) => kind === "relation")
                .map(({ title, relation, list }) => `${title} (${list ? "many" : "one"} ${relation})`)
                .join(", ") || "no relations"}
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

function Entity({ model, x, y, width: wide, height, isDetailed }: Box & { readonly isDetailed: boolean }) {
  const title = (
    <text x={x + 10} y={y + 20} className="entity-name">
      {model.title}
    </text>
  );
  return (
    <g>
      <rect x={x} y={y} width={wide} height={height} rx="6" className="entity" />
      {model.may("findMany") ? (
        <Link to="/data/$model" params={{ model: model.name }}>
          {title}
        </Link>
      ) : (
        title
      )}
      <line x1={x} x2={x + wide} y1={y + head} y2={y + head} className="entity-line" />
      {rowsOf(model, isDetailed).map((field, at) => (
        <text key={field.name} x={x + 10} y={y + head + 15 + at * lineHeight} className="entity-field">
          {model.key.includes(field.name) ? "● " : field.keyOf === undefined ? "" : "→ "}
          {field.name}
          <tspan className="entity-type">
            {" "}
            {field.type}
            {field.list ? "[]" : field.required ? "" : "?"}
          </tspan>
        </text>
      ))}
    </g>
  );
}
