import type { Component } from "./component.js";

/** The events of loading modules, for debugging (contract C42). */
export type ModuleEvent =
  | {
      readonly kind: "searched";
      readonly module: string;
      /** `undefined` for the folder itself. */
      readonly component?: Component;
      readonly place: string;
      readonly isThere: boolean;
    }
  | {
      readonly kind: "loaded";
      readonly module: string;
      readonly component: Component;
      readonly file: string;
      /** The content of the file: hooks, schemas, or keys of the configuration. */
      readonly names: readonly string[];
      readonly milliseconds: number;
    };

/** `debugging.dynamicLoader` of the configuration. */
export interface ModuleLogSettings {
  /** 0 nothing, 1 loaded files, 2 also searched files, 3 with timings. @default 0 */
  readonly level?: number;
  /** Names of modules and components; an empty or missing list means all. */
  readonly filters?: { readonly modules?: readonly string[]; readonly components?: readonly string[] };
}

/** Writes the events that the settings select as lines. */
export function logModuleLoading(
  settings: ModuleLogSettings | undefined,
  write: (line: string) => void,
): (event: ModuleEvent) => void {
  return (event) => {
    const line = moduleLogLine(event, settings);
    if (line !== undefined) write(line);
  };
}

/** The line of an event; `undefined` if the settings exclude it. */
export function moduleLogLine(
  event: ModuleEvent,
  { level = 0, filters = {} }: ModuleLogSettings = {},
): string | undefined {
  if (level < (event.kind === "loaded" ? 1 : 2)) return undefined;
  if (!passes(filters.modules, event.module) || !passes(filters.components, event.component)) return undefined;
  if (event.kind === "searched") {
    const what = event.component === undefined ? "" : ` ${event.component}`;
    return `module ${event.module}:${what} searched at ${event.place}, ${event.isThere ? "found" : "not found"}`;
  }
  const names = event.names.length === 0 ? "" : ` (${event.names.join(", ")})`;
  const time = level < 3 ? "" : ` in ${event.milliseconds.toFixed(1)} ms`;
  return `module ${event.module}: ${event.component} loaded${names} from ${event.file}${time}`;
}

/** `Post`, `post` and `FileUpload`, `file-upload` are equal. */
function passes(wanted: readonly string[] | undefined, given: string | undefined): boolean {
  if (wanted === undefined || wanted.length === 0) return true;
  return given !== undefined && wanted.some((one) => plain(one) === plain(given));
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, "");
