import type { Connection, QueryArrayConfig } from "pg";
import { ResultTooLarge, type TextRow } from "../database/sql-link.js";
import { runMessage } from "./run-message.js";
import type { OpenConnection } from "./session-statements.js";

const asIs = (text: unknown): unknown => text;

/** Returns each column as text, without `pg`'s parsing. */
export const asTexts = { getTypeParser: () => asIs } as unknown as QueryArrayConfig["types"];

/** A statement whose result is the columns of its rows, as texts. */
export interface TextStatement {
  /** The empty string for an unnamed statement. */
  readonly name: string;
  readonly text: string;
  /** Strings, numbers, booleans, NULL, and lists of these. */
  readonly values: readonly unknown[];
  readonly rowMode: "array";
  readonly types: typeof asTexts;
  /** Receives each row as it arrives, instead of the result. */
  readonly take?: ((row: TextRow) => void) | undefined;
  /**
   * Closes the connection if PostgreSQL sends more than this, or if {@link TextStatement.take} throws, because an
   * unwanted result can be much larger than what was read of it.
   */
  readonly maxBytes?: number | undefined;
}

type ResultCallback = (error: Error | null | undefined, result?: { readonly rows: readonly TextRow[] }) => void;

/**
 * Runs a statement over a connection of `pg` with less work: its columns are not described, and no row is parsed into
 * values. The client of `pg` calls its methods as those of its own queries.
 */
export class TextQuery {
  readonly name: string;
  readonly text: string;
  readonly callback: ResultCallback;
  readonly #values: readonly unknown[];
  #take: (row: TextRow) => void;
  #rows: TextRow[] = [];
  /** The error of a received row; the following rows must be received too. */
  #failure: Error | undefined;
  readonly #maxBytes: number | undefined;
  #received = 0;
  #taken = 0;
  #isOver = false;
  #stopCounting = (): void => undefined;

  constructor({ name, text, values, take, maxBytes }: TextStatement, callback: ResultCallback) {
    this.name = name;
    this.text = text;
    this.callback = callback;
    this.#values = values;
    this.#maxBytes = maxBytes;
    this.#take = take ?? ((row) => this.#rows.push(row));
  }

  submit(connection: Connection): void {
    const { name, text } = this;
    const { stream, parsedStatements, submittedNamedStatements } = connection as OpenConnection;
    const message = runMessage(name, this.#values.map(parameterText));
    if (this.#maxBytes !== undefined) this.#countBytes(stream, this.#maxBytes);
    const isParsed = parsedStatements[name] !== undefined || submittedNamedStatements[name] !== undefined;
    if (name !== "" && isParsed) {
      if (stream.writable) stream.write(message);
      return;
    }
    // All in one write.
    stream.cork();
    connection.parse({ name, text, types: [] }, true);
    if (name !== "") submittedNamedStatements[name] = text;
    if (stream.writable) stream.write(message);
    stream.uncork();
  }

  handleDataRow({ fields }: { readonly fields: TextRow }): void {
    if (this.#failure !== undefined || this.#isOver) return;
    try {
      this.#take(fields);
      this.#taken++;
    } catch (error) {
      this.#failure = error as Error;
      if (this.#maxBytes !== undefined) this.#end(this.#failure);
    }
  }

  handleReadyForQuery(): void {
    this.#end(this.#failure);
  }

  handleError(error: Error): void {
    this.#end(error);
  }

  /** Counts before the parser has a row, because a single one can be hundreds of megabytes. */
  #countBytes(stream: OpenConnection["stream"], maxBytes: number): void {
    const count = (chunk: Uint8Array): void => {
      this.#received += chunk.length;
      if (this.#received > maxBytes) this.#end(new ResultTooLarge(this.#taken));
    };
    stream.on("data", count);
    this.#stopCounting = () => stream.off("data", count);
  }

  /** After an error that is not PostgreSQL's, the caller closes the connection. */
  #end(error: Error | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopCounting();
    const rows = this.#rows;
    this.#release();
    this.callback(error, { rows });
  }

  /** Released, because an old object may retain a completed query and its data (decision 0017). */
  #release(): void {
    this.#rows = [];
    this.#take = () => undefined;
  }

  handleRowDescription(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}

/** A parameter as the text that PostgreSQL reads by its type in the statement. */
function parameterText(value: unknown): string | null {
  if (value === null) return null;
  if (Array.isArray(value)) return `{${value.map(itemText).join(",")}}`;
  return typeof value === "string" ? value : String(value);
}

function itemText(value: unknown): string {
  const text = parameterText(value);
  return text === null ? "NULL" : `"${text.replace(/["\\]/g, "\\$&")}"`;
}
