import type { ReactNode } from "react";

interface PageButtonsProps {
  /** `undefined` on the first page. */
  readonly onPrevious: (() => void) | undefined;
  /** `undefined` on the last page. */
  readonly onNext: (() => void) | undefined;
  /** Between the buttons, such as the number of the page. */
  readonly children?: ReactNode;
}

/** The buttons that turn the pages of a list. */
export function PageButtons({ onPrevious, onNext, children }: PageButtonsProps) {
  return (
    <>
      <button type="button" disabled={onPrevious === undefined} onClick={onPrevious}>
        Previous
      </button>
      {children}
      <button type="button" disabled={onNext === undefined} onClick={onNext}>
        Next
      </button>
    </>
  );
}
