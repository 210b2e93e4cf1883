const TOLERANCE = 4; // pixels that a hand may move during a click

/**
 * keepPresses makes a press of a button count even if the page moves between press and release, for instance because a
 * message above the button disappears. Browsers would send the click to an element that contains both places. Call the
 * returned function to stop.
 */
export function keepPresses(page: Document): () => void {
  let pressed: { button: HTMLButtonElement; x: number; y: number } | undefined;
  const press = (event: PointerEvent) => {
    const primary = event.isPrimary && event.button === 0 && event.target instanceof Element;
    const button = primary ? event.target.closest<HTMLButtonElement>("button:not([aria-haspopup])") : null;
    pressed = button ? { button, x: event.clientX, y: event.clientY } : undefined;
  };
  const release = (event: PointerEvent) => {
    const was = pressed;
    pressed = undefined;
    if (!was?.button.isConnected || was.button.contains(event.target as Node)) return;
    if (Math.hypot(event.clientX - was.x, event.clientY - was.y) <= TOLERANCE) was.button.click();
  };
  page.addEventListener("pointerdown", press, true);
  page.addEventListener("pointerup", release, true);
  return () => {
    page.removeEventListener("pointerdown", press, true);
    page.removeEventListener("pointerup", release, true);
  };
}
