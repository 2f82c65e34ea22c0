import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** The destination of the output. */
export interface Output {
  readonly isTTY?: boolean | undefined;
}

/** Whether an output supports colors: a terminal, unless disabled. */
export function hasColours({ isTTY }: Output, environment: NodeJS.ProcessEnv = process.env): boolean {
  if (environment.NO_COLOR !== undefined && environment.NO_COLOR !== "") return false;
  if (environment.FORCE_COLOR !== undefined && environment.FORCE_COLOR !== "0") return true;
  return isTTY === true && environment.TERM !== "dumb";
}

/** Colors a text for an output, if it supports colors. */
export function makePaint(output: Output): (style: Style, text: string) => string {
  const isColoured = hasColours(output);
  return (style, text) => (isColoured ? styleText(style, text, { validateStream: false }) : text);
}
