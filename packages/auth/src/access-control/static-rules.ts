import { nearestWord } from "@servicekit/core/internal";
import type { DeclaredRoute } from "@servicekit/router";
import { routeName, toAccessRule } from "@servicekit/router/internal";
import type { AccessControl } from "./access-control.js";

const everyRole = "*";

/** More sets of roles than an application has. */
const maxRights = 200;

/**
 * Static mode: the rule of a route names the roles with access, `"*"` for every signed-in user. Without a rule only
 * superusers have access (contract C29).
 *
 * @param knownRoles the values of the role's enum, if it is one; empty if users have no role
 */
export function makeStaticRules(knownRoles: readonly string[] | undefined): AccessControl {
  const byRoles = new Map<string, object>();
  return {
    rightsOf({ roles, isSuperUser }) {
      const text = JSON.stringify([isSuperUser, roles]);
      const known = byRoles.get(text);
      if (known !== undefined) return known;
      if (byRoles.size >= maxRights) byRoles.clear();
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
          const where = placeOfRule(route);
          const message = `The model User has neither role nor roles, so no user has the role ${role}. Add one of these fields.`;
          if (knownRoles.length === 0) return { where, message };
          const near = nearestWord(role, knownRoles);
          const hint = near === undefined ? `; expected one of ${knownRoles.join(", ")}.` : `. Did you mean ${near}?`;
          return { where, message: `Unknown role ${role}${hint}` };
        });
    },
  };
}

/** The rules of generated routes are in the configuration of their model. */
const placeOfRule = (route: DeclaredRoute): string =>
  route.origin.model === undefined ? `${routeName(route)}: authentication.rule` : `models.${route.origin.model}.auth`;
