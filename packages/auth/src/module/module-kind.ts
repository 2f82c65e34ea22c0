import { byName, hook, operationRightsSchema, router, schemaValue } from "@servicekit/router/settings";
import { z } from "zod";

/** The actions with hooks before and after (contract C45). */
export const hookedActions = ["Login", "Logout", "Signup", "UpdatePassword", "GetMe", "UpdateMe", "DeleteMe"] as const;
/** An operation of authentication that can have hooks. */
export type HookedAction = (typeof hookedActions)[number];

/** The name of a hook, such as `beforeLogin`. */
export type AuthHookName = `${"before" | "after"}${HookedAction}`;

/**
 * The keys of the module under `auth`, with the action of each (contract C29). Sign-up is open to everyone, the others
 * to every user; actions that require a user cannot be opened.
 */
export const authActions = {
  signup: "Create",
  getMe: "View",
  updateMe: "Update",
  deleteMe: "Delete",
  updatePassword: "Update",
} as const;
export type AuthOperation = keyof typeof authActions;

const hookNames = hookedActions.flatMap((act): AuthHookName[] => [`before${act}`, `after${act}`]);
const schemaNames = ["login", "signup", "updatePassword", "updateMe"] as const;

const rights = operationRightsSchema(Object.keys(authActions)).check(({ value, issues }) => {
  for (const [operation, right] of Object.entries(value)) {
    if (operation === "signup" || right !== false) continue;
    const message = "Only signed-in users can do this: use true, a list of roles or { rule }.";
    issues.push({ code: "custom", path: [operation], message, input: value });
  }
});

/** The module `auth`, as the module loader needs it (contract C44). */
export const authModule = Object.freeze({
  name: "auth",
  hooks: Object.freeze(hookNames),
  schemas: Object.freeze(schemaNames),
  /** Its configuration, in a file or in `service.init({ models: { auth: … } })`. */
  schema: z.strictObject({
    auth: rights.optional(),
    hooks: byName(hookNames, hook).optional(),
    schemas: byName(schemaNames, schemaValue).optional(),
    router: router.optional(),
  }),
});
