import { useModels, useVisitor } from "../api/discovery.js";
import { facts } from "../api/facts.js";
import type { Operation } from "../model/model-info.js";
import { Problem, Waiting } from "../ui/problem.js";
import { StoredRights } from "./stored-rights.js";

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

/** What the visitor may do to each model; and what each stored role may, where rights are stored and he may see them. */
export function RightsPage() {
  const models = useModels();
  const visitor = useVisitor();
  if (models.isPending) return <Waiting />;
  const roles = models.data?.find(({ name, may }) => name === "auth-role" && may("findMany"));
  const permissions = models.data?.find(({ name, may }) => name === "auth-permission" && may("findMany"));
  const isStored = facts.signIn?.isDynamic === true;
  return (
    <>
      <h1>Rights</h1>
      <p>
        {facts.signIn === null
          ? "Nobody signs in here: what is there is open to everyone."
          : `What you may${visitor.data?.isSuperUser === true ? ", as a superuser" : ""}. Row rules narrow it further: you meet the rows that are yours to meet.`}
      </p>
      <Problem error={models.error} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <section className="scroll" aria-label="Your rights" tabIndex={0}>
        <table className="matrix">
          <thead>
            <tr>
              <th>Model</th>
              {operations.map(([name, title]) => (
                <th key={name}>{title}</th>
              ))}
              <th>Fields</th>
            </tr>
          </thead>
          <tbody>
            {(models.data ?? []).map((model) => (
              <tr key={model.name}>
                <th scope="row">{model.title}</th>
                {operations.map(([name]) => (
                  <td key={name}>
                    {model.may(name) ? <span className="yes">yes</span> : <span className="dim">no</span>}
                  </td>
                ))}
                <td>{model.fields.length}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {isStored && (
        <>
          <h2>Roles</h2>
          {roles !== undefined && permissions !== undefined ? (
            <StoredRights roles={roles} permissions={permissions} />
          ) : (
            <p className="dim">Roles and their permissions are stored in the database. You may not read them here.</p>
          )}
        </>
      )}
      {facts.signIn !== null && !isStored && (
        <p className="dim">The rights of each role stand in the configuration of the service, which no route tells.</p>
      )}
    </>
  );
}
