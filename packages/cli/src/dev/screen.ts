import { makePaint } from "../terminal/paint.js";
import type { Listening } from "./app-process.js";

/** What the page of "service dev" shows. */
export interface Page {
  readonly name: string;
  readonly database: string;
  readonly listening: Listening;
  /** What was done to get here, such as a migration; whole lines. */
  readonly notes: readonly string[];
  /** The files whose change made it start again; none at the first start. */
  readonly files: readonly string[];
  readonly tookMs: number;
}

/** The terminal of "service dev"; where there is none, plain lines. */
export interface Screen {
  /** Begins a new page. */
  clear(): void;
  /** A line of progress. */
  say(line: string): void;
  /** What the application writes, as it is. */
  write(text: string): void;
  /** The service is there. */
  show(page: Page): void;
  /** Something does not work; the application, if any, goes on as it was. */
  showFailure(title: string, text: string): void;
}

/** How many files are named. */
const mostFiles = 5;

export function makeScreen(output: NodeJS.WriteStream = process.stdout): Screen {
  const paint = makePaint(output);
  const isPage = output.isTTY === true;
  const line = (text = ""): void => void output.write(`${text}\n`);
  const keys = isPage
    ? `  ${paint("dim", `${key("r")} restart   ${key("o")} open the documentation   ${key("q")} quit`)}`
    : undefined;
  return {
    clear() {
      // The lines that were there stay in the scrollback.
      if (isPage) output.write(`${"\n".repeat(output.rows ?? 24)}\x1b[H\x1b[J`);
    },
    say: (text) => line(isPage ? `  ${paint("dim", text)}` : text),
    write: (text) => void output.write(text),
    show({ name, database, listening, notes, files, tookMs }) {
      const { url, models, routes, documentation, authentication } = listening;
      const what = files.length === 0 ? "Ready" : "Started again";
      const took = `${what} in ${tookMs < 10_000 ? `${tookMs} ms` : `${(tookMs / 1000).toFixed(1)} s`}`;
      if (!isPage) {
        for (const note of notes) line(note);
        line(`${took}: ${url}/api (${models} models, ${routes} routes)`);
        return;
      }
      const isOpen = authentication.startsWith("off");
      line();
      line(`  ${paint(["bold", "green"], "●")} ${paint("bold", name)}   ${paint("dim", took)}`);
      line();
      line(`  API             ${paint("cyan", `${url}/api`)}`);
      line(`  Documentation   ${documentation === "off" ? "off" : paint("cyan", documentation)}`);
      line(`  Database        ${database}`);
      line(`  Made of         ${models} models, ${routes} routes`);
      line(`  Authentication  ${isOpen ? paint("yellow", authentication) : authentication}`);
      if (files.length > 0 || notes.length > 0) line();
      for (const note of notes) line(`    ${note}`);
      for (const file of files.slice(0, mostFiles)) line(`  ${paint("yellow", "~")} ${file}`);
      if (files.length > mostFiles) line(`    and ${files.length - mostFiles} more`);
      line();
      if (keys !== undefined) line(keys);
      line();
    },
    showFailure(title, text) {
      line();
      line(`${isPage ? "  " : ""}${paint(["bold", "red"], "✗")} ${paint("bold", title)}`);
      line();
      line(text.trimEnd());
      line();
      if (isPage) line(`  ${paint("dim", "Waiting for a change.")}\n`);
      if (keys !== undefined) line(keys);
    },
  };

  function key(letter: string): string {
    return paint("bold", letter);
  }
}
