// A program: loads what every start of a service needs, waits for a message with the program, and runs it. So a start
// takes no longer than what may have changed.
import { endWithStarter } from "./end-with-starter.js";
import { importProgram } from "./import-program.js";
import { preload } from "./preload.js";

/** The message that this program waits for. */
export interface Go {
  readonly entry: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const [, , root = ""] = process.argv;
process.on("disconnect", () => process.exit(1));
const message = new Promise<Go>((resolve) => process.once("message", (go) => resolve(go as Go)));
await preload(root);
const { entry, args, environment } = await message;
process.removeAllListeners("disconnect");
for (const name of Object.keys(process.env)) if (!Object.hasOwn(environment, name)) delete process.env[name];
Object.assign(process.env, environment);
endWithStarter();
await importProgram(entry, args);
