import { type Operation, operationNames } from "../resource/config/operation.js";

/** `beforeCreateOne`, `afterFindMany` … (contract C45). */
export type HookName = `${"before" | "after"}${Capitalize<Operation>}`;

/** The hooks of a model. */
export const modelHookNames: readonly HookName[] = Object.freeze(
  operationNames.flatMap((operation) => [hookName("before", operation), hookName("after", operation)]),
);

/** The name of a model's hook. */
export function hookName(time: "before" | "after", operation: Operation): HookName {
  return `${time}${capitalize(operation)}` as HookName;
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
