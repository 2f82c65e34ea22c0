import { makePaint } from "../terminal/paint.js";
import type { Listening } from "./app-process.js";

/** The contents of the page of "service dev". */
export interface Page {
  readonly name: string;
  readonly database: string;
  readonly listening: Listening;
  /** The completed steps, such as a migration; full lines. */
  readonly notes: readonly string[];
  /** The files whose change caused the restart; none at the first start. */
  readonly files: readonly string[];
  readonly tookMs: number;
}

/** The terminal of "service dev"; without a terminal, plain lines. */
export interface Screen {
  /** Starts a new page. */
  clear(): void;
  /** A line of progress. */
  printStatus(line: string): void;
  /** The output of the application, unchanged. */
  write(text: string): void;
  /** The service is ready. */
  show(page: Page): void;
  /** An error; the running application, if any, continues. */
  showFailure(title: string, text: string): void;
}

/** The number of listed files. */
const maxFiles = 5;

export function makeScreen(output: NodeJS.WriteStream = process.stdout): Screen {
  const paint = makePaint(output);
  const isPage = output.isTTY === true;
  const line = (text = ""): void => void output.write(`${text}\n`);
  const keys = isPage
    ? `  ${paint("dim", `${key("r")} restart   ${key("o")} open the documentation   ${key("q")} quit`)}`
    : undefined;
  return {
    clear() {
      // Earlier lines stay in the scrollback.
      if (isPage) output.write(`${"\n".repeat(output.rows ?? 24)}\x1b[H\x1b[J`);
    },
    printStatus: (text) => line(isPage ? `  ${paint("dim", text)}` : text),
    write: (text) => void output.write(text),
    show({ name, database, listening, notes, files, tookMs }) {
      const { url, models, routes, documentation, studio, authentication } = listening;
      const what = files.length === 0 ? "Ready" : "Restarted";
      const took = `${what} in ${tookMs < 10_000 ? `${tookMs} ms` : `${(tookMs / 1000).toFixed(1)} s`}`;
      if (!isPage) {
        for (const note of notes) line(note);
        line(`${took}: ${url}/api (${models} models, ${routes} routes)`);
        if (files.length > 0) return;
        line(`Documentation: ${documentation}`);
        line(`Studio: ${studio}`);
        line(`Database: ${database}`);
        return;
      }
      const isOpen = authentication.startsWith("off");
      line();
      line(`  ${paint(["bold", "green"], "●")} ${paint("bold", name)}   ${paint("dim", took)}`);
      line();
      line(`  API             ${paint("cyan", `${url}/api`)}`);
      line(`  Documentation   ${documentation === "off" ? "off" : paint("cyan", documentation)}`);
      line(`  Studio          ${studio === "off" ? "off" : paint("cyan", studio)}`);
      line(`  Database        ${database}`);
      line(`  Serves          ${models} models, ${routes} routes`);
      line(`  Authentication  ${isOpen ? paint("yellow", authentication) : authentication}`);
      if (files.length > 0 || notes.length > 0) line();
      for (const note of notes) line(`    ${note}`);
      for (const file of files.slice(0, maxFiles)) line(`  ${paint("yellow", "~")} ${file}`);
      if (files.length > maxFiles) line(`    and ${files.length - maxFiles} more`);
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
