import type { JsonList, TextRow } from "@servicekit/orm";
import { rowToJson } from "./column-text.js";
import type { Shape } from "./shape.js";

/** A list from this length on is put together as bytes, in characters. */
const longText = 16 * 1024;
/** The room that a long list begins with, and the most that is kept of it for the next, in bytes. */
const firstRoom = 256 * 1024;
const mostKept = 1024 * 1024;
/** How many rooms are kept: about as many as statements are answered at a time. */
const mostSpare = 10;

/** Rooms in which no list is being put together. */
const spare: Buffer[] = [];

/**
 * Puts rows together to the JSON of a list, as they come in. What waits for the rest of its list, texts and bytes alike, is
 * soon taken by the collector for something that lasts, and then holds its memory long after the answer. So a long list is
 * written into a room that the next one writes into again.
 */
export class JsonRows {
  readonly #shape: Shape;
  /** How many are shown at most. */
  readonly #shown: number;
  #text = "[";
  #room: Buffer | undefined;
  /** How much of the room is written. */
  #written = 0;
  #found = 0;
  #last: string | undefined;

  constructor(shape: Shape, shown = Number.POSITIVE_INFINITY) {
    this.#shape = shape;
    this.#shown = shown;
  }

  add(row: TextRow): void {
    if (++this.#found > this.#shown) return;
    const json = rowToJson(this.#shape, row);
    this.#last = json;
    const text = this.#found === 1 ? json : `,${json}`;
    if (this.#room !== undefined) this.#write(this.#room, text);
    else {
      this.#text += text;
      if (this.#text.length < longText) return;
      this.#write(spare.pop() ?? Buffer.allocUnsafeSlow(firstRoom), this.#text);
      this.#text = "";
    }
  }

  /** The list of all rows so far; none may come after it. */
  end(): Omit<JsonList, "total"> {
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
