import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Where the output goes to. */
export interface Output {
  readonly isTTY?: boolean | undefined;
}

/** Whether an output shows colours: a terminal that nobody told otherwise. */
export function hasColours({ isTTY }: Output, environment: NodeJS.ProcessEnv = process.env): boolean {
  if (environment.NO_COLOR !== undefined && environment.NO_COLOR !== "") return false;
  if (environment.FORCE_COLOR !== undefined && environment.FORCE_COLOR !== "0") return true;
  return isTTY === true && environment.TERM !== "dumb";
}

/** Paints a text for an output; where it shows no colours, the text stays as it is. */
export function makePaint(output: Output): (style: Style, text: string) => string {
  const isColoured = hasColours(output);
  return (style, text) => (isColoured ? styleText(style, text, { validateStream: false }) : text);
}
