/** More digits than these the ORM may round. */
const exactDigits = 15;

/** Whether the ORM keeps a number wherever it stands. */
export function isShortNumber(value: number): boolean {
  const [digits = ""] = String(value).split("e");
  return Number.isSafeInteger(value) || digits.replace(/^[-0.]+|\./g, "").length <= exactDigits;
}
