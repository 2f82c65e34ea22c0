import { byName, hook, operationRightsSchema, router, schemaValue } from "@servicekit/router/settings";
import { z } from "zod";

/** What hooks can stand before and after (contract C45). */
export const hookedActs = ["Login", "Logout", "Signup", "UpdatePassword", "GetMe", "UpdateMe", "DeleteMe"] as const;
/** An operation of authentication that can have hooks. */
export type HookedAct = (typeof hookedActs)[number];

/** The name of a hook, such as `beforeLogin`. */
export type AuthHookName = `${"before" | "after"}${HookedAct}`;

/**
 * What the module may say under `auth`, with the action of each (contract C29). Signing up is open to everyone, the others to
 * every user; what one cannot do without being signed in cannot be opened.
 */
export const authActions = {
  signup: "Create",
  getMe: "View",
  updateMe: "Update",
  deleteMe: "Delete",
  updatePassword: "Update",
} as const;
export type AuthOperation = keyof typeof authActions;

const hookNames = hookedActs.flatMap((act): AuthHookName[] => [`before${act}`, `after${act}`]);
const schemaNames = ["login", "signup", "updatePassword", "updateMe"] as const;

const rights = operationRightsSchema(Object.keys(authActions)).check(({ value, issues }) => {
  for (const [operation, right] of Object.entries(value)) {
    if (operation === "signup" || right !== false) continue;
    const message =
      "Who does this is signed in: it can be true, a list of roles or { rule }, but not open to everyone.";
    issues.push({ code: "custom", path: [operation], message, input: value });
  }
});

/** The module `auth`, as who loads modules has to know it (contract C44). */
export const authModule = Object.freeze({
  name: "auth",
  hooks: Object.freeze(hookNames),
  schemas: Object.freeze(schemaNames),
  /** What it says, in a file or in `service.init({ models: { auth: … } })`. */
  schema: z.strictObject({
    auth: rights.optional(),
    hooks: byName(hookNames, hook).optional(),
    schemas: byName(schemaNames, schemaValue).optional(),
    router: router.optional(),
  }),
});
