import { type ReactNode, useEffect, useRef, useState } from "react";
import "./popup.css";

interface PopupProps {
  /** The text of the button. */
  readonly label: ReactNode;
  /** The name of the group of inputs. */
  readonly legend: string;
  readonly isOpenFirst?: boolean;
  readonly children: ReactNode;
}

/** Inputs below a button, which close with Escape and with a click elsewhere. */
export function Popup({ label, legend, isOpenFirst = false, children }: PopupProps) {
  const details = useRef<HTMLDetailsElement>(null);
  const [isOpen] = useState(isOpenFirst);
  useEffect(() => {
    const close = (event: Event) => {
      if (details.current === null || !details.current.open) return;
      const isOutside = event.target instanceof Node && !details.current.contains(event.target);
      if (event instanceof KeyboardEvent ? event.key === "Escape" : isOutside) details.current.open = false;
    };
    document.addEventListener("pointerdown", close);
    document.addEventListener("keydown", close);
    return () => {
      document.removeEventListener("pointerdown", close);
      document.removeEventListener("keydown", close);
    };
  }, []);
  return (
    <details className="popup" ref={details} open={isOpen}>
      <summary className="button">{label}</summary>
      <fieldset>
        <legend className="hidden">{legend}</legend>
        {children}
      </fieldset>
    </details>
  );
}
