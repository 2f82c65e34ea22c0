import { setImmediate } from "node:timers/promises";
import type { JsonResult } from "../database/executor.js";
import { ResultTooLarge, type TextRow } from "../sql-link.js";
import { rowPieces, rowToJson } from "./column-text.js";
import { holdsList, type Shape } from "./shape.js";

/** A list from this length on is put together as bytes, in characters. */
const longText = 16 * 1024;
/** The room that a long list begins with, and the most that is kept of it for the next, in bytes. */
const firstRoom = 256 * 1024;
const mostKept = 1024 * 1024;
/** How many rooms are kept: about as many as statements are answered at a time. */
const mostSpare = 10;

/** A row with related rows is read in slices from this length of its texts on. */
const longRow = 64 * 1024;
/** How long one slice may take, in milliseconds. */
const sliceMs = 10;

/** Rooms in which no list is being put together. */
const spare: Buffer[] = [];

/** What a list is held to. */
export interface JsonRowsLimits {
  /** How many rows are shown at most. */
  readonly shown?: number | undefined;
  readonly maxBytes?: number | undefined;
}

/**
 * Puts rows together to the JSON of a list, as they come in. What waits for the rest of its list, texts and bytes alike, is
 * soon taken by the collector for something that lasts, and then holds its memory long after the answer. So a long list is
 * written into a room that the next one writes into again.
 */
export class JsonRows {
  readonly #shape: Shape;
  /** The columns of the rows themselves; cursors are made of these. */
  readonly #own: Shape;
  /** How many are shown at most. */
  readonly #shown: number;
  readonly #maxBytes: number;
  readonly #holdsLists: boolean;
  /** Rows that are too long to be read as they come in, and those behind them. */
  readonly #late: TextRow[] = [];
  #text = "[";
  #room: Buffer | undefined;
  /** How much of the room is written. */
  #written = 0;
  #found = 0;
  /** The rows that are part of the list already. */
  #listed = 0;
  #last: string | undefined;

  constructor(
    shape: Shape,
    { shown = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY }: JsonRowsLimits = {},
  ) {
    this.#shape = shape;
    this.#own = shape.filter(({ kind }) => kind !== "many");
    this.#holdsLists = shape.some(holdsList);
    this.#shown = shown;
    this.#maxBytes = maxBytes;
  }

  /** @throws {ResultTooLarge} when the list is larger than its limit */
  add(row: TextRow): void {
    if (++this.#found > this.#shown) return;
    if (this.#late.length > 0 || (this.#holdsLists && isLong(row))) this.#late.push(row);
    else {
      const json = rowToJson(this.#shape, row);
      this.#last = json;
      this.#append(this.#listed === 0 ? json : `,${json}`);
      this.#listed++;
    }
  }

  #append(text: string): void {
    if (this.#room !== undefined) this.#write(this.#room, text);
    else {
      this.#text += text;
      if (this.#text.length >= longText) {
        this.#write(spare.pop() ?? Buffer.allocUnsafeSlow(firstRoom), this.#text);
        this.#text = "";
      }
    }
    // No character takes more than three bytes.
    if (this.#written + 3 * this.#text.length <= this.#maxBytes) return;
    if (this.#written + Buffer.byteLength(this.#text) > this.#maxBytes) throw new ResultTooLarge(this.#listed);
  }

  async #appendLate(): Promise<void> {
    let began = performance.now();
    for (const row of this.#late) {
      if (this.#listed > 0) this.#append(",");
      for (const piece of rowPieces(this.#shape, row)) {
        this.#append(piece);
        if (performance.now() - began < sliceMs) continue;
        await setImmediate();
        began = performance.now();
      }
      this.#listed++;
      this.#last = rowToJson(this.#own, row);
    }
  }

  /**
   * The list of all rows so far; none may come after it.
   *
   * @throws {ResultTooLarge} when the list is larger than its limit
   */
  async end(): Promise<JsonResult> {
    if (this.#late.length > 0) await this.#appendLate();
    const told = { found: this.#found, last: this.#last };
    if (this.#room === undefined) return { json: `${this.#text}]`, ...told };
    const room = this.#write(this.#room, "]");
    const json = Buffer.from(room.subarray(0, this.#written));
    if (spare.length < mostSpare && room.length <= mostKept) spare.push(room);
    return { json, ...told };
  }

  /** Writes into the room, or where that is too small into a larger one. */
  #write(room: Buffer, text: string): Buffer {
    // No character takes more than three bytes.
    const needed = this.#written + 3 * text.length;
    let larger = room;
    if (needed > room.length) {
      larger = Buffer.allocUnsafeSlow(Math.max(2 * room.length, needed));
      room.copy(larger, 0, 0, this.#written);
    }
    this.#written += larger.write(text, this.#written);
    this.#room = larger;
    return larger;
  }
}

function isLong(row: TextRow): boolean {
  let length = 0;
  for (const text of row) length += text?.length ?? 0;
  return length > longRow;
}

/**
 * The JSON of one row; a long one is written in slices, to bytes.
 *
 * @throws {ResultTooLarge} when it is larger than its limit
 */
export async function oneToJson(shape: Shape, row: TextRow, maxBytes: number | undefined): Promise<string | Buffer> {
  if (!isLong(row)) {
    const json = rowToJson(shape, row);
    if (json.length > (maxBytes ?? json.length)) throw new ResultTooLarge(0);
    return json;
  }
  const rows = new JsonRows(shape, { maxBytes });
  rows.add(row);
  const { json } = await rows.end();
  return typeof json === "string" ? json.slice(1, -1) : json.subarray(1, -1);
}
