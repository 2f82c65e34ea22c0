import type { IncomingMessage } from "node:http";
import { type AccessConfig, type AuthenticationConfig, callerOf } from "@servicekit/router";
import type { Request, Response } from "express";
import type { AccessControl, Rights } from "../access-control/access-control.js";
import type { Permission } from "../users/user-store.js";
import { writePermission } from "./api-key-kind.js";
import { accessRule } from "./authentication-step.js";
import type { Authenticator } from "./authenticator.js";
import { renewCaller } from "./renewal.js";

/** The caller's data that is needed besides the step. */
export interface Allowed {
  allows(request: IncomingMessage, access: AuthenticationConfig): boolean;
  rightsOf(request: IncomingMessage): object | undefined;
  permissionsOf(request: IncomingMessage): readonly string[];
  renew(request: Request, response: Response): Promise<Request>;
}

const ofStrangers = Object.freeze({});

/** Returns what the caller of a request may do. */
export function makeAllows(authenticator: Authenticator, control: AccessControl): Allowed {
  const rules = new WeakMap<AccessConfig, (rights: Rights) => boolean>();
  const ruleOf = (access: AccessConfig): ((rights: Rights) => boolean) => {
    const rule = rules.get(access) ?? accessRule(access, control);
    rules.set(access, rule);
    return rule;
  };
  const storedOf = (request: IncomingMessage): readonly Permission[] =>
    authenticator.signedInOf(request)?.permissions ?? [];
  return {
    allows: (request, access) => {
      if (access === false) return true;
      const caller = callerOf(request);
      if (caller === undefined) return false;
      if (access === true) return true;
      return ruleOf(access)({ caller, permissions: storedOf(request) });
    },
    rightsOf: (request) => {
      const caller = callerOf(request);
      return caller === undefined ? ofStrangers : control.rightsOf(caller);
    },
    renew: (request, response) => renewCaller(authenticator, request, response),
    permissionsOf: (request) => storedOf(request).map(writePermission),
  };
}
