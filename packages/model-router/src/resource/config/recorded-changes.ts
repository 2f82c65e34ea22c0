import type { ResourceConfig } from "./resource-config.js";

type Recorded = Pick<ResourceConfig, "changes">;

/** Whether the changes of a model are recorded (contract C106). */
export const isRecorded = ({ changes = false }: Recorded): boolean => changes !== false;

/** The names of the models whose changes are recorded. */
export const recordedModels = (configs: Readonly<Record<string, Recorded>>): readonly string[] =>
  Object.entries(configs).flatMap(([name, config]) => (isRecorded(config) ? [name] : []));

/** Whether a model has the route of the histories of its rows (contract C107). */
export const hasHistory = ({ changes }: Recorded): boolean => typeof changes === "object" && changes.history === true;

/** Whether a model has the route of its events (contract C111). */
export const hasEvents = ({ changes }: Recorded): boolean => typeof changes === "object" && changes.events === true;
