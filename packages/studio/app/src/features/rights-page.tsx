import { type ReactNode, useState } from "react";
import { useModels, useVisitor } from "../api/discovery.js";
import { pageData } from "../api/page-data.js";
import type { ModelInfo, Operation } from "../model/model-info.js";
import { Problem, Waiting } from "../ui/problem.js";
import { StoredRights } from "./stored-rights.js";
import "./rights-page.css";

const operations: readonly (readonly [Operation, string])[] = [
  ["findMany", "List"],
  ["findOne", "Read"],
  ["createOne", "Create"],
  ["updateOne", "Update"],
  ["deleteOne", "Delete"],
  ["createMany", "Create many"],
  ["updateMany", "Update many"],
  ["deleteMany", "Delete many"],
];

/** Of models with soft delete. */
const ofDeleted: readonly (readonly [Operation, string])[] = [
  ["findDeleted", "Read deleted"],
  ["restoreOne", "Restore"],
  ["deletePermanently", "Delete permanently"],
];

/** Whose permissions a matrix shows: the visitor's, those of everyone, or of a role. */
type Shown = "me" | "everyone" | `role:${string}`;

/** The permissions of the visitor or of a role, by model; and those of each stored role, if the visitor may read them. */
export function RightsPage() {
  const models = useModels();
  const visitor = useVisitor();
  const [shown, setShown] = useState<Shown>("me");
  if (models.isPending) return <Waiting />;
  const all = models.data ?? [];
  const roles = all.find(({ name, may }) => name === "auth-role" && may("findMany"));
  const permissions = all.find(({ name, may }) => name === "auth-permission" && may("findMany"));
  const isStored = pageData.signIn?.isDynamic === true;
  const configured = rolesOf(all);
  return (
    <>
      <h1>Permissions</h1>
      <Problem error={models.error} />
      {configured === undefined || isStored ? (
        <p>
          {pageData.signIn === null
            ? "Authentication is off: everything is open to everyone."
            : `Your permissions${visitor.data?.isSuperUser === true ? ", as a superuser" : ""}. Row rules may limit which rows you see.`}
        </p>
      ) : (
        <div className="row tools">
          <label className="inline">
            Permissions of
            <select value={shown} onChange={({ target }) => setShown(target.value as Shown)}>
              <option value="me">me</option>
              <option value="everyone">everyone</option>
              {configured.map((role) => (
                <option key={role} value={`role:${role}`}>
                  {role}
                </option>
              ))}
            </select>
          </label>
          <span className="dim">From the service's configuration. “rows”: a row rule limits the rows.</span>
        </div>
      )}
      <Matrix label={shown === "me" ? "Your permissions" : `Permissions of ${shown.replace("role:", "")}`} models={all}>
        {(model, operation) => <Mark {...accessTo(model, operation, shown)} />}
      </Matrix>
      {isStored && (
        <>
          <h2>Roles</h2>
          {roles !== undefined && permissions !== undefined ? (
            <StoredRights roles={roles} permissions={permissions} />
          ) : (
            <p className="dim">Roles and their permissions are stored in the database. You may not read them.</p>
          )}
        </>
      )}
      {pageData.signIn !== null && !isStored && configured === undefined && (
        <p className="dim">
          The permissions of each role are part of the service's configuration. Only superusers can see them.
        </p>
      )}
    </>
  );
}

/** The roles of the configuration, which only superusers get (contract C46). */
function rolesOf(models: readonly ModelInfo[]): readonly string[] | undefined {
  const access = models.flatMap(({ accessOf }) => operationsOf(models).flatMap(([name]) => accessOf(name) ?? []));
  if (pageData.signIn === null || access.length === 0) return undefined;
  return [...new Set(access.flatMap(({ roles }) => roles.filter((role) => role !== "*")))].sort();
}

interface MarkProps {
  readonly isAllowed: boolean;
  readonly isPartial: boolean;
}

function accessTo(model: ModelInfo, operation: Operation, shown: Shown): MarkProps {
  if (shown === "me") return { isAllowed: model.may(operation), isPartial: false };
  const { open = false, roles = [], rows = false } = model.accessOf(operation) ?? {};
  const isAllowed =
    open || (shown !== "everyone" && (roles.includes("*") || roles.includes(shown.replace("role:", ""))));
  return { isAllowed, isPartial: isAllowed && rows };
}

/** A check mark, or nothing. */
function Mark({ isAllowed, isPartial }: MarkProps) {
  if (!isAllowed) return <span className="hidden">no</span>;
  return (
    <>
      <span className="yes" aria-hidden="true">
        ✓
      </span>
      <span className="hidden">yes</span>
      {isPartial && <small className="dim">rows</small>}
    </>
  );
}

interface MatrixProps {
  readonly label: string;
  readonly models: readonly ModelInfo[];
  /** The content of a cell. */
  readonly children: (model: ModelInfo, operation: Operation) => ReactNode;
}

/** The operations of any model; those of soft delete only if a model has it. */
const operationsOf = (models: readonly ModelInfo[]): typeof operations => [
  ...operations,
  ...ofDeleted.filter(([name]) => models.some(({ may, accessOf }) => may(name) || accessOf(name) !== undefined)),
];

/** Models by operations. */
function Matrix({ label, models, children }: MatrixProps) {
  const columns = operationsOf(models);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section className="scroll of-height" aria-label={label} tabIndex={0}>
      <table className="matrix">
        <thead>
          <tr>
            <th>Model</th>
            {columns.map(([name, title]) => (
              <th key={name}>{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {models.map((model) => (
            <tr key={model.name}>
              <th scope="row">{model.title}</th>
              {columns.map(([name]) => (
                <td key={name}>{children(model, name)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
