import { inSlices } from "@servicekit/core/internal";
import { type Model, type Models } from "@servicekit/prisma";
import { isHidden, responseTooLarge } from "@servicekit/prisma/internal";
import { toJsonText } from "@servicekit/router/internal";
import { type Row, toJsonRow, toJsonRows } from "../resource/values/to-json.js";

/** The length of the texts that are converted to bytes together. */
const pieceLength = 64 * 1024;

/** The contents of a response. */
export interface ShownData {
  readonly data: Row | readonly Row[];
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Writes the JSON of a large response in slices: the same bytes as `toJsonText` of `toJsonRows`.
 *
 * @throws {HttpError} 400 if it exceeds `maxBytes`
 */
export async function writeInSlices(
  { data, meta }: ShownData,
  model: Model,
  models: Models,
  maxBytes: number,
): Promise<readonly Buffer[]> {
  const written: Buffer[] = [];
  let bytes = 0;
  let fitting = 0;
  let text = '{"data":';
  const add = (piece: string): void => {
    text += piece;
    bytes += Buffer.byteLength(piece);
    if (bytes > maxBytes) throw responseTooLarge(maxBytes, fitting);
    if (text.length < pieceLength) return;
    written.push(Buffer.from(text));
    text = "";
  };
  if (Array.isArray(data)) {
    const rows = data;
    const each = function* () {
      for (const [index, row] of rows.entries()) {
        fitting = index;
        yield index === 0 ? "[" : ",";
        yield* piecesOf(row, model, models);
      }
    };
    await inSlices(each(), add);
    text += rows.length === 0 ? "[]" : "]";
  } else await inSlices(piecesOf(data, model, models), add);
  text += meta === undefined ? "}" : `,"meta":${toJsonText(meta)}}`;
  written.push(Buffer.from(text));
  return written;
}

/** The JSON of rows in pieces of at most one row without its related lists. */
function* piecesOf(value: unknown, model: Model, models: Models): Generator<string, void, undefined> {
  if (Array.isArray(value)) {
    yield "[";
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ",";
      yield* piecesOf(item, model, models);
    }
    yield "]";
  } else if (isPlainRow(value)) yield* rowPieces(value, model, models);
  else yield toJsonText(toJsonRows(value, model, models));
}

function* rowPieces(row: Row, model: Model, models: Models): Generator<string, void, undefined> {
  let before = "{";
  let own: Record<string, unknown> = {};
  const ownText = (): string => {
    const members = toJsonText(toJsonRow(own, model, models)).slice(1, -1);
    own = {};
    if (members === "") return "";
    const text = before + members;
    before = ",";
    return text;
  };
  for (const [name, value] of Object.entries(row)) {
    const field = model.fieldsByName.get(name);
    const related = field?.kind === "relation" && !isHidden(field) ? models.get(field.type) : undefined;
    if (related === undefined || !Array.isArray(value)) {
      own[name] = value;
      continue;
    }
    yield `${ownText()}${before}${JSON.stringify(name)}:`;
    before = ",";
    yield* piecesOf(value, related, models);
  }
  const rest = ownText();
  yield before === "{" ? "{}" : `${rest}}`;
}

const isPlainRow = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
