import { type Operator, operators } from "../operators.js";
import type { QueryParserSettings } from "../options.js";
import type { QueryScalar } from "../parsed-query.js";
import { quote, reject } from "../query-errors.js";
import { overLimit } from "../query-limits.js";
import { type ExpectedValue, expectedItem, expectsScalar } from "../values/expected-value.js";
import { readExpected } from "../values/read-expected.js";
import { type ReadText, readText } from "../values/read-text.js";
import { splitList } from "../values/split-list.js";
import type { OperandNode } from "./condition-tree.js";

/**
 * Reads the values of one operator: a scalar, or a list if the operator takes one or the client wrote one or sent
 * several values. If a type is `expected`, it decides what the notation leaves open: one value becomes a list of one
 * where a list is expected, and a comma does not split text.
 *
 * @throws {HttpError} 400 `InvalidOperand`, `QueryLimitExceeded`
 */
export function readOperand(
  operand: OperandNode,
  settings: QueryParserSettings,
  expected?: ExpectedValue,
): QueryScalar | QueryScalar[] {
  const { operator, parameter, values, isList } = operand;
  const { operands, text } = operator === "bare" ? bare : operators[operator];
  if (operands === "boolean" || operands === "relation") return readWord(operand);
  const isOnlyList = expected?.list !== undefined && !expectsScalar(expected);
  const isOnlyScalar = expected !== undefined && expected.list === undefined && expectsScalar(expected);
  const makesList = isList || operands === "list" || isOnlyList;
  const splits = settings.parseArray && (operator === "bare" ? !isOnlyScalar : operands === "list" || isOnlyList);
  const read = (item: ReadText): QueryScalar => (text ? item.text : readExpected(item, expected, settings));
  const readItem = (item: ReadText, index: number): QueryScalar =>
    text ? item.text : readExpected(item, isOnlyScalar ? expected : expectedItem(expected, index), settings);
  const [only = ""] = values;
  if (values.length === 1 && !makesList && !(splits && only.includes(","))) return read(readText(only));
  // `a[]=` is how an empty list is written.
  if (values.length === 1 && makesList && only === "") return [];
  const scalars: QueryScalar[] = [];
  for (const value of values) {
    const items = splits && value !== "" ? splitList(value, settings.limits, parameter) : [readText(value)];
    for (const item of items) scalars.push(readItem(item, scalars.length));
    if (scalars.length > settings.limits.listItems) throw overLimit("listItems", settings.limits, parameter);
  }
  return makesList || scalars.length > 1 ? scalars : (scalars[0] ?? "");
}

const bare: Pick<Operator, "operands" | "text"> = { operands: "one", text: false };

/**
 * `isNull` and `isEmpty` take `true` or `false`; `is` and `isNot` without a path take `null`; the others take no value.
 */
function readWord({ operator, parameter, values, isList }: OperandNode): boolean | null {
  const [word] = isList || values.length > 1 ? [] : values;
  if (operator === "isNull" || operator === "isEmpty") {
    if (word === "true" || word === "false") return word === "true";
    throw reject("InvalidOperand", parameter, `The parameter ${quote(parameter)} must be true or false.`);
  }
  if ((operator === "is" || operator === "isNot") && word === "null") return null;
  throw reject(
    "InvalidOperand",
    parameter,
    `The operator ${operator} of ${quote(parameter)} must be followed by a field.`,
  );
}
