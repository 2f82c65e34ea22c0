/** What hooks can stand before and after (contract C45). */
export const hookedActs = ["Login", "Logout", "Signup", "UpdatePassword", "GetMe", "UpdateMe", "DeleteMe"] as const;
export type HookedAct = (typeof hookedActs)[number];

/** The name of a hook, such as `beforeLogin`. */
export type AuthHookName = `${"before" | "after"}${HookedAct}`;

/** The module `auth`, as who loads modules has to know it (contract C44). */
export const authModule = Object.freeze({
  name: "auth",
  hooks: Object.freeze(hookedActs.flatMap((act): AuthHookName[] => [`before${act}`, `after${act}`])),
  schemas: Object.freeze(["login", "signup", "updatePassword", "updateMe"] as const),
});
