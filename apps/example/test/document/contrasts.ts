import type { Page } from "playwright-core";

/** A text with low contrast on a page: the text, its contrast (WCAG 2.2, 1.4.3), and its place. */
export interface LowContrastText {
  readonly text: string;
  readonly contrast: number;
  readonly place: string;
}

/** The visible texts of a page with a contrast below a number, without disabled ones. */
export function lowContrastTexts(page: Page, min: number): Promise<readonly LowContrastText[]> {
  return page.evaluate(`(${findLowContrast})(${min})`) as Promise<readonly LowContrastText[]>;
}

// As a string for the browser, because the tests have no DOM types.
const findLowContrast = `(least) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const read = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const chain = (element) => {
    const found = [];
    for (let at = element; at !== null; at = at.parentElement) found.unshift(at);
    return found;
  };
  const backdrop = (elements) =>
    elements.reduce((below, each) => over(read(getComputedStyle(each).backgroundColor), below), [255, 255, 255, 1]);
  const light = (color) => {
    const [r, g, b] = color.slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.textContent.trim();
    const element = node.parentElement;
    if (text === "" || ["SCRIPT", "STYLE", "NOSCRIPT"].includes(element.tagName)) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const { width, height } = element.getBoundingClientRect();
    if (width < 2 || height < 2 || element.closest(":disabled, [aria-disabled=true]") !== null) continue;
    const elements = chain(element);
    const ground = backdrop(elements);
    const opacity = elements.reduce((all, each) => all * Number(getComputedStyle(each).opacity), 1);
    const [r, g, b, a] = read(getComputedStyle(element).color);
    const [one, other] = [light(over([r, g, b, a * opacity], ground)), light(ground)].sort((x, y) => y - x);
    const contrast = Math.round(((one + 0.05) / (other + 0.05)) * 100) / 100;
    const place = element.tagName.toLowerCase() + "." + String(element.className).split(" ").slice(0, 3).join(".");
    if (contrast < least) found.set(place + contrast, { text: text.slice(0, 40), contrast, place });
  }
  return [...found.values()];
}`;
