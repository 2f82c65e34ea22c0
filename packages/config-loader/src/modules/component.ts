/** The kinds of files of a module, as the word between its name and the ending: `post.model.ts` (contract C44). */
export const components = ["middlewares", "model", "router", "schemas", "dtos", "events"] as const;

export type Component = (typeof components)[number];

/** The endings that are loaded, TypeScript first. */
export const endings = ["ts", "mts", "js", "mjs", "cjs"] as const;

export const isComponent = (word: string): word is Component => (components as readonly string[]).includes(word);
