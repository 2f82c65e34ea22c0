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

/** The stored permissions (contract C29) as a matrix: permissions that some route requires, by role. */
export function StoredRights({ roles, permissions }: StoredRightsProps) {
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
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
  const mayGive = permissions.may("createOne");
  const mayTake = permissions.may("deleteOne");
  return (
    <>
      <Problem error={error} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
      <section className="scroll" aria-label="Permissions by role" tabIndex={0}>
        <table className="matrix">
          <thead>
            <tr>
              <th>Resource</th>
              <th>Action</th>
              {stored.data.roles.map((role) => (
                <th key={String(role.id)}>{String(role.name)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {actions.map((right) => (
              <tr key={`${right.resource} ${right.action}`}>
                <th scope="row">{right.resource}</th>
                <td title={right.name ?? ""}>{right.action}</td>
                {stored.data.roles.map((role) => {
                  const isGiven = find(role, right) !== undefined;
                  return (
                    <td key={String(role.id)}>
                      <input
                        type="checkbox"
                        aria-label={`${String(role.name)} may ${right.action} ${right.resource}`}
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
