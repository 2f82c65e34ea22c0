import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callRoute, type Question, type Row, rows } from "../api/shop.js";
import type { ModelInfo } from "../model/model-info.js";
import { Problem, Waiting } from "../ui/problem.js";

interface AuthAction {
  readonly resource: string;
  readonly action: string;
  readonly name: string | null;
}

/** Every row of a model, page by page. */
async function readAll(model: ModelInfo, question: Question = {}): Promise<readonly Row[]> {
  const all: Row[] = [];
  let cursor: string | null | undefined = "";
  do {
    const page: Awaited<ReturnType<typeof rows.list>> = await rows.list(model, { ...question, limit: 100, cursor });
    all.push(...page.data);
    cursor = page.meta.nextCursor;
  } while (cursor);
  return all;
}

interface StoredRightsProps {
  readonly roles: ModelInfo;
  readonly permissions: ModelInfo;
}

/** The stored permissions of a role (contract C29) as a matrix of resources by actions that some route requires. */
export function StoredRights({ roles, permissions }: StoredRightsProps) {
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const [chosen, setChosen] = useState("");
  const stored = useQuery({
    queryKey: ["rows", "stored-rights"],
    queryFn: async () => {
      const [actions, allRoles, all] = await Promise.all([
        callRoute("GET /api/auth-actions") as Promise<{ data: readonly AuthAction[] }>,
        readAll(roles),
        readAll(permissions),
      ]);
      return { actions: actions.data, roles: allRoles, permissions: all };
    },
  });
  if (stored.isPending) return <Waiting />;
  if (stored.data === undefined) return <Problem error={stored.error} />;
  const { actions, permissions: given } = stored.data;
  const find = (role: Row, { resource, action }: AuthAction): Row | undefined =>
    given.find((each) => each.roleId === role.id && each.resource === resource && each.action === action);
  const set = async (role: Row, right: AuthAction, isGiven: boolean) => {
    setError(undefined);
    try {
      const found = find(role, right);
      if (isGiven) await rows.create(permissions, { roleId: role.id, resource: right.resource, action: right.action });
      else if (found !== undefined) await rows.delete(permissions, [found.id], false);
    } catch (failure) {
      setError(failure);
    }
    await queries.invalidateQueries({ queryKey: ["rows", "stored-rights"] });
  };
  const role = stored.data.roles.find(({ name }) => name === chosen) ?? stored.data.roles[0];
  if (role === undefined) return <p className="dim">There are no roles.</p>;
  const roleName = String(role.name);
  const resources = [...new Set(actions.map(({ resource }) => resource))];
  const columns = [...new Set([...usual, ...actions.map(({ action }) => action)])].filter((each) =>
    actions.some(({ action }) => action === each),
  );
  const mayGive = permissions.may("createOne");
  const mayTake = permissions.may("deleteOne");
  return (
    <>
      <Problem error={error} />
      <div className="row tools">
        <label className="inline">
          Permissions of
          <select value={roleName} onChange={({ target }) => setChosen(target.value)}>
            {stored.data.roles.map(({ id, name }) => (
              <option key={String(id)}>{String(name)}</option>
            ))}
          </select>
        </label>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
      <section className="scroll of-height" aria-label={`Permissions of ${roleName}`} tabIndex={0}>
        <table className="matrix">
          <thead>
            <tr>
              <th>Resource</th>
              {columns.map((action) => (
                <th key={action}>{action}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {resources.map((resource) => (
              <tr key={resource}>
                <th scope="row">{resource}</th>
                {columns.map((column) => {
                  const right = actions.find((each) => each.resource === resource && each.action === column);
                  if (right === undefined) return <td key={column} />;
                  const isGiven = find(role, right) !== undefined;
                  return (
                    <td key={column}>
                      <input
                        type="checkbox"
                        aria-label={`${roleName} may ${right.action} ${right.resource}`}
                        title={right.name ?? ""}
                        checked={isGiven}
                        disabled={isGiven ? !mayTake : !mayGive}
                        onChange={({ target }) => void set(role, right, target.checked)}
                      />
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

/** The actions of generated routes, which come first. */
const usual = ["View", "Create", "Update", "Delete"];
