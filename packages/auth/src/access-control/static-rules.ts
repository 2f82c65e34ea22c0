import { nearestWord } from "@servicekit/core/internal";
import { routeName, toAccessRule } from "@servicekit/router/internal";
import type { AccessControl } from "./access-control.js";

const everyRole = "*";

/** More sets of roles than an application has. */
const mostRights = 200;

/**
 * Static mode: the rule of a route names the roles that may, `"*"` every signed-in user. Without a rule nobody but a
 * superuser may (contract C29).
 *
 * @param knownRoles the values of the role's enum, where it is one; none where a user has no role at all
 */
export function makeStaticRules(knownRoles: readonly string[] | undefined): AccessControl {
  const byRoles = new Map<string, object>();
  return {
    rightsOf({ roles, isSuperUser }) {
      const text = JSON.stringify([isSuperUser, roles]);
      const known = byRoles.get(text);
      if (known !== undefined) return known;
      if (byRoles.size >= mostRights) byRoles.clear();
      const rights = Object.freeze({});
      byRoles.set(text, rights);
      return rights;
    },
    rule({ rule }) {
      if (rule === undefined) return () => false;
      const roles = new Set(toAccessRule(rule).roles);
      if (roles.has(everyRole)) return () => true;
      return ({ caller }) => caller.roles.some((role) => roles.has(role));
    },
    check({ rule }, route) {
      if (rule === undefined || knownRoles === undefined) return [];
      return toAccessRule(rule)
        .roles.filter((role) => role !== everyRole && !knownRoles.includes(role))
        .map((role) => {
          const message = `authentication.rule names the role ${role}, but the model User has neither role nor roles, so nobody has it: add one of them.`;
          if (knownRoles.length === 0) return { where: routeName(route), message };
          const near = nearestWord(role, knownRoles);
          const hint = near === undefined ? `known are ${knownRoles.join(", ")}.` : `did you mean ${near}?`;
          return { where: routeName(route), message: `authentication.rule names the unknown role ${role}; ${hint}` };
        });
    },
  };
}
