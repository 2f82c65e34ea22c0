import { spawn } from "node:child_process";

const programs: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Opens an address in the user's browser, if there is one. */
export function openBrowser(url: string): void {
  const [program = "xdg-open", ...args] = programs[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, url], { detached: true, stdio: "ignore" });
  child.once("error", () => {});
  child.unref();
}
