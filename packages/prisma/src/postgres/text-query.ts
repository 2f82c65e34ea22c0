import type { Connection, QueryArrayConfig } from "pg";
import { ResultTooLarge, type TextRow } from "../sql-link.js";
import { runMessage } from "./run-message.js";
import type { OpenConnection } from "./session-statements.js";

const asIs = (text: unknown): unknown => text;

/** Leaves each column as its text, where `pg` itself reads the answer. */
export const asTexts = { getTypeParser: () => asIs } as unknown as QueryArrayConfig["types"];

/** A statement of which nothing is wanted but the columns of its rows, as texts. */
export interface TextStatement {
  /** The empty string leaves it unnamed. */
  readonly name: string;
  readonly text: string;
  /** Texts, numbers, truth values, NULL, and lists of these. */
  readonly values: readonly unknown[];
  readonly rowMode: "array";
  readonly types: typeof asTexts;
  /** Takes each row as it comes in, in the place of the answer. */
  readonly take?: ((row: TextRow) => void) | undefined;
  /**
   * Ends the connection when PostgreSQL sends more than this, or when {@link TextStatement.take} throws: a result that is not
   * wanted can be much larger than what was read of it.
   */
  readonly maxBytes?: number | undefined;
}

type Told = (error: Error | null | undefined, result?: { readonly rows: readonly TextRow[] }) => void;

/**
 * Asks a statement over a connection of `pg` without what a reader of texts has no use for: its columns are not described,
 * and no row is read into values. The client of `pg` calls its methods as those of its own queries.
 */
export class TextQuery {
  readonly name: string;
  readonly text: string;
  readonly callback: Told;
  readonly #values: readonly unknown[];
  #take: (row: TextRow) => void;
  #rows: TextRow[] = [];
  /** What went wrong with a row that came; the rows behind it must be heard all the same. */
  #failure: Error | undefined;
  readonly #maxBytes: number | undefined;
  #received = 0;
  #taken = 0;
  #isOver = false;
  #stopCounting = (): void => undefined;

  constructor({ name, text, values, take, maxBytes }: TextStatement, callback: Told) {
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
    // All on its way at once.
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

  /** Counts before the parser has a row: a single one can be hundreds of megabytes. */
  #countBytes(stream: OpenConnection["stream"], maxBytes: number): void {
    const count = (chunk: Uint8Array): void => {
      this.#received += chunk.length;
      if (this.#received > maxBytes) this.#end(new ResultTooLarge(this.#taken));
    };
    stream.on("data", count);
    this.#stopCounting = () => stream.off("data", count);
  }

  /** With an error that is not PostgreSQL's, the caller closes the connection. */
  #end(error: Error | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopCounting();
    const rows = this.#rows;
    this.#letGo();
    this.callback(error, { rows });
  }

  /** Of the answer: something old may hold a query that is done, and all behind it with it (decision 0017). */
  #letGo(): void {
    this.#rows = [];
    this.#take = () => undefined;
  }

  handleRowDescription(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}

/** A parameter as the text that PostgreSQL reads by the type that it has in the statement. */
function parameterText(value: unknown): string | null {
  if (value === null) return null;
  if (Array.isArray(value)) return `{${value.map(itemText).join(",")}}`;
  return typeof value === "string" ? value : String(value);
}

function itemText(value: unknown): string {
  const text = parameterText(value);
  return text === null ? "NULL" : `"${text.replace(/["\\]/g, "\\$&")}"`;
}
