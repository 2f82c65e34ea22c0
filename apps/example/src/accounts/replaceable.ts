/** Rows that other systems maintain: clients create or replace them by their keys. */
export const replaceable = { Setting: { upsert: true }, Tag: { upsert: true } } as const;
