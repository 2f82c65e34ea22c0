/** Set in a process in which a command runs the program of a project to inspect its service. */
const place = Symbol.for("@servicekit/inspected-program");
const shared = globalThis as { [place]?: true };

/** Marks this process: the program's `service.create` runs the command and ends the process, as `service.init` does. */
export function inspectProgram(): void {
  shared[place] = true;
}

/** Whether a command runs the program of this process to inspect its service. */
export const isProgramInspected = (): boolean => shared[place] === true;
