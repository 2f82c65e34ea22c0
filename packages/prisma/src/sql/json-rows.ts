import { setImmediate } from "node:timers/promises";
import type { JsonResult } from "../database/executor.js";
import { ResultTooLarge, type TextRow } from "../database/sql-link.js";
import { rowPieces, rowToJson } from "./column-text.js";
import { containsList, type Shape } from "./shape.js";

/** A list from this length on is built as bytes, in characters. */
const longText = 16 * 1024;
/** The initial buffer size of a long list, and the maximum that is retained for the next, in bytes. */
const firstRoom = 256 * 1024;
const maxStored = 1024 * 1024;
/** The number of retained buffers: about as many as concurrent statements. */
const maxSpare = 10;

/** A row with related rows is read in slices from this text length on. */
const longRow = 64 * 1024;
/** Maximum duration of a slice, in milliseconds. */
const sliceMs = 10;

/** Unused buffers. */
const spare: Buffer[] = [];

/** The limits of a list. */
export interface JsonRowsLimits {
  /** Maximum number of returned rows. */
  readonly shown?: number | undefined;
  readonly maxBytes?: number | undefined;
}

/**
 * Builds the JSON of a list from rows as they arrive. Pending texts and bytes are soon promoted to the old generation,
 * and retain their memory long after the response. So a long list is written into a buffer that is reused for the next
 * one.
 */
export class JsonRows {
  readonly #shape: Shape;
  /** The columns of the rows, for cursors. */
  readonly #own: Shape;
  /** Maximum number of returned rows. */
  readonly #shown: number;
  readonly #maxBytes: number;
  readonly #containsLists: boolean;
  /** Rows that are too long to be read as they arrive, and those after them. */
  readonly #late: TextRow[] = [];
  #text = "[";
  #room: Buffer | undefined;
  /** The written part of the buffer. */
  #written = 0;
  #found = 0;
  /** The rows that are already part of the list. */
  #listed = 0;
  #last: string | undefined;

  constructor(
    shape: Shape,
    { shown = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY }: JsonRowsLimits = {},
  ) {
    this.#shape = shape;
    this.#own = shape.filter(({ kind }) => kind !== "many");
    this.#containsLists = shape.some(containsList);
    this.#shown = shown;
    this.#maxBytes = maxBytes;
  }

  /** @throws {ResultTooLarge} when the list is larger than its limit */
  add(row: TextRow): void {
    if (++this.#found > this.#shown) return;
    if (this.#late.length > 0 || (this.#containsLists && isLong(row))) this.#late.push(row);
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
    // A character takes at most three bytes.
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
   * The list of all rows so far; no row may follow.
   *
   * @throws {ResultTooLarge} if the list exceeds its limit
   */
  async end(): Promise<JsonResult> {
    if (this.#late.length > 0) await this.#appendLate();
    const position = { found: this.#found, last: this.#last };
    if (this.#room === undefined) return { json: `${this.#text}]`, ...position };
    const room = this.#write(this.#room, "]");
    const json = Buffer.from(room.subarray(0, this.#written));
    if (spare.length < maxSpare && room.length <= maxStored) spare.push(room);
    return { json, ...position };
  }

  /** Writes into the buffer, or into a larger one if it is full. */
  #write(room: Buffer, text: string): Buffer {
    // A character takes at most three bytes.
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
 * The JSON of one row; a long one is written in slices, as bytes.
 *
 * @throws {ResultTooLarge} if it exceeds its limit
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
