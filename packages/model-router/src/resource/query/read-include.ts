import type { IncludeLimits } from "../config/resource-config.js";
import type { QueryIssues } from "../filter/query-issues.js";
import { unknownName } from "../filter/unknown-name.js";
import type { Resource, Resources } from "../resource.js";
import type { Select } from "../shown.js";

interface IncludeContext {
  readonly resources: Resources;
  readonly limits: IncludeLimits;
  readonly issues: QueryIssues;
  /**
   * The relations that the model's default options include, to which requests are limited; `undefined` for all and
   * none.
   */
  readonly relations: ReadonlySet<string> | undefined;
}

interface Branch {
  readonly resource: Resource;
  readonly branches: Map<string, Branch>;
}

/**
 * Reads `include=author,comments.author` (contract C8) and adds the relations to a `select`: each with its visible
 * fields, a to-many one with a limited number of rows in the order of their id.
 */
export function readInclude(
  text: string | undefined,
  select: Select,
  resource: Resource,
  context: IncludeContext,
): Select {
  const { relations } = context;
  if (text === undefined && (relations === undefined || relations.size === 0)) return select;
  if (text === "") {
    context.issues.add("include", "InvalidValue", "include must be names of relations; it is empty.");
    return select;
  }
  const root: Branch = { resource, branches: new Map() };
  const paths = text === undefined ? [...(relations ?? [])] : text.split(",").map((word) => word.trim());
  for (const path of paths) {
    const [first = ""] = path.split(".");
    if (relations?.has(first) === false && resource.relations.has(first)) {
      context.issues.add("include", "UnknownField", `${first} of ${resource.model.name} is not visible here.`);
    } else grow(root, path, context);
  }
  return withBranches(select, root, context.limits);
}

function grow(root: Branch, path: string, { resources, limits, issues, relations }: IncludeContext): void {
  const segments = path.split(".");
  if (segments.length > limits.depth) {
    issues.add("include", "TooDeep", `${path} is ${segments.length} relations deep. Maximum: ${limits.depth}.`);
    return;
  }
  let branch = root;
  for (const segment of segments) {
    const isShown = branch === root || branch.resource.shown.findMany.relations?.has(segment) !== false;
    const relation = isShown ? branch.resource.relations.get(segment) : undefined;
    const related = resources.get(relation?.type ?? "");
    if (relation === undefined || related === undefined) {
      const shown = branch === root ? relations : branch.resource.shown.findMany.relations;
      const known = [...(shown ?? branch.resource.relations.keys())];
      issues.add("include", "UnknownField", () => unknownName(segment, branch.resource, { wants: "relation", known }));
      return;
    }
    const next = branch.branches.get(segment) ?? { resource: related, branches: new Map() };
    branch.branches.set(segment, next);
    branch = next;
  }
}

function withBranches(select: Select, branch: Branch, limits: IncludeLimits): Select {
  const complete: Record<string, unknown> = { ...select };
  for (const [name, next] of branch.branches) {
    const inner = withBranches(next.resource.shown.findMany.select, next, limits);
    const isList = branch.resource.relations.get(name)?.isList === true;
    complete[name] = isList ? { select: inner, take: limits.rows, orderBy: next.resource.keyOrder } : { select: inner };
  }
  return complete;
}
