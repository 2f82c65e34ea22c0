import type { ReactNode } from "react";
import { type Access, useModels, useVisitor } from "../api/discovery.js";
import { facts } from "../api/facts.js";
import type { ModelInfo, Operation } from "../model/model-info.js";
import { Problem, Waiting } from "../ui/problem.js";
import { StoredRights } from "./stored-rights.js";
import "./rights-page.css";

const operations: readonly (readonly [Operation, string])[] = [
  ["findMany", "List"],
  ["findOne", "Read"],
  ["createOne", "Create"],
  ["updateOne", "Change"],
  ["deleteOne", "Delete"],
  ["createMany", "Create many"],
  ["updateMany", "Change many"],
  ["deleteMany", "Delete many"],
];

/** The visitor's permissions by model; and those of each stored role, if the visitor may read them. */
export function RightsPage() {
  const models = useModels();
  const visitor = useVisitor();
  if (models.isPending) return <Waiting />;
  const roles = models.data?.find(({ name, may }) => name === "auth-role" && may("findMany"));
  const permissions = models.data?.find(({ name, may }) => name === "auth-permission" && may("findMany"));
  const isStored = facts.signIn?.isDynamic === true;
  return (
    <>
      <h1>Permissions</h1>
      <p>
        {facts.signIn === null
          ? "Authentication is off: everything is open to everyone."
          : `Your permissions${visitor.data?.isSuperUser === true ? ", as a superuser" : ""}. Row rules may limit which rows you see.`}
      </p>
      <Problem error={models.error} />
      <Matrix label="Your permissions" models={models.data ?? []}>
        {(model, operation) =>
          model.may(operation) ? <span className="yes">yes</span> : <span className="dim">no</span>
        }
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
      {facts.signIn !== null && !isStored && <ConfiguredRights models={models.data ?? []} />}
    </>
  );
}

interface MatrixProps {
  readonly label: string;
  readonly models: readonly ModelInfo[];
  /** The content of a cell. */
  readonly children: (model: ModelInfo, operation: Operation) => ReactNode;
}

/** Models by operations. */
function Matrix({ label, models, children }: MatrixProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section className="scroll" aria-label={label} tabIndex={0}>
      <table className="matrix">
        <thead>
          <tr>
            <th>Model</th>
            {operations.map(([name, title]) => (
              <th key={name}>{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {models.map((model) => (
            <tr key={model.name}>
              <th scope="row">{model.title}</th>
              {operations.map(([name]) => (
                <td key={name}>{children(model, name)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The permissions by role in the configuration, which only superusers get (contract C46). */
function ConfiguredRights({ models }: { readonly models: readonly ModelInfo[] }) {
  if (!models.some(({ accessOf }) => operations.some(([name]) => accessOf(name) !== undefined)))
    return (
      <p className="dim">
        The permissions of each role are part of the service's configuration. Only superusers can see them.
      </p>
    );
  return (
    <>
      <h2>Roles</h2>
      <p>
        Permissions by role, from the service's configuration. Superusers have all permissions. “some rows” means that a
        row rule limits the rows.
      </p>
      <Matrix label="Permissions by role" models={models}>
        {(model, operation) => <WhoMay access={model.accessOf(operation)} />}
      </Matrix>
    </>
  );
}

function WhoMay({ access }: { readonly access: Access | undefined }) {
  if (access === undefined) return <span className="dim">—</span>;
  const { open, roles, rows } = access;
  const names = open ? ["everyone"] : roles.includes("*") ? ["signed in"] : roles;
  if (names.length === 0) return <span className="dim">superusers</span>;
  return (
    <span className="chips">
      {names.map((name) => (
        <span className="chip" key={name}>
          {name}
        </span>
      ))}
      {rows && <small className="dim">some rows</small>}
    </span>
  );
}
