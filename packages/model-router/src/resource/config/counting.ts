/** The ways to count the rows of a list (contract C125). */
export const waysToCount = ["exact", "estimated", "limited"] as const;
export type Counting = (typeof waysToCount)[number];

/** The values of the parameter `count`: `true` is the setting of the model. */
export const countValues = ["true", "false", ...waysToCount] as const;

/** The maximum number of rows that `limited` counts. */
export const maxCountedRows = 10_000;
