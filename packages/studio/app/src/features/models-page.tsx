import dagre from "@dagrejs/dagre";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useModels } from "../api/discovery.js";
import type { FieldInfo, ModelInfo } from "../model/model-info.js";
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
  /** How many rows are related, at each end. */
  readonly ends: readonly End[];
}

interface End {
  readonly x: number;
  readonly y: number;
  readonly count: string;
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

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Relation {
  readonly label: string;
  readonly from: string;
  readonly to: string;
}

/** How many rows a relation has; the opposite of a relation without one is any number. */
const countOf = (field: FieldInfo | undefined): string =>
  field === undefined || field.list ? "*" : field.required ? "1" : "0..1";

/** Beside the first part of a line. */
function endOf([start = { x: 0, y: 0 }, next = start]: readonly Point[], count: string): End {
  const length = Math.hypot(next.x - start.x, next.y - start.y) || 1;
  const [dx, dy] = [(next.x - start.x) / length, (next.y - start.y) / length];
  return { x: start.x + dx * 16 - dy * 8, y: start.y + dy * 16 + dx * 8 + 4, count };
}

/** Places the models so that related ones are near each other. */
function draw(models: readonly ModelInfo[], isDetailed: boolean): Picture {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 20, ranksep: 80, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  const relations = new Map<string, Relation>();
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
      if (!isHere && !isLone) continue;
      const id = `${model.name}.${field.name}`;
      graph.setEdge(model.name, relation, {}, id);
      relations.set(id, { label: `${model.schemaName}.${field.name}`, from: countOf(other), to: countOf(field) });
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
      const id = edge.name ?? "";
      const { points } = graph.edge(edge) as unknown as { readonly points: readonly Point[] };
      const { label = "", from = "", to = "" } = relations.get(id) ?? {};
      return {
        id,
        points: points.map(({ x, y }) => `${Math.round(x)},${Math.round(y)}`).join(" "),
        label,
        ends: [endOf(points, from), endOf([...points].reverse(), to)],
      };
    }),
  };
}

/** The models and their relations as a diagram. */
export function ModelsPage() {
  const models = useModels();
  const [isDetailed, setDetailed] = useState(false);
  /** The scale; `undefined` fits the diagram into the window. */
  const [zoom, setZoom] = useState<number>();
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
        <span className="row">
          <button type="button" aria-label="Zoom out" onClick={() => setZoom(Math.max(0.2, (zoom ?? 1) / 1.25))}>
            −
          </button>
          <button type="button" aria-label="Zoom in" onClick={() => setZoom(Math.min(3, (zoom ?? 0.8) * 1.25))}>
            +
          </button>
          <button type="button" aria-pressed={zoom === undefined} onClick={() => setZoom(undefined)}>
            Fit
          </button>
        </span>
      </div>
      <Problem error={models.error} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
      <section className="scroll picture" aria-label="Diagram of the models" tabIndex={0}>
        <svg
          {...(zoom === undefined
            ? { className: "fitted" }
            : { width: picture.width * zoom, height: picture.height * zoom })}
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
          {picture.lines.map(({ id, ends }) =>
            ends.map(({ x, y, count }, at) => (
              <text key={`${id}${at === 0 ? "from" : "to"}`} x={x} y={y} className="cardinality">
                {count}
              </text>
            )),
          )}
        </svg>
      </section>
      <details>
        <summary>As text</summary>
        <ul>
          {(models.data ?? []).map((model) => (
            <li key={model.name}>
              {model.schemaName}
              {": "}
              {model.fields
                .filter(({ kind }) => kind === "relation")
                .map((field) => `${field.name} (${countOf(field)} ${field.type})`)
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
      {model.schemaName}
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
