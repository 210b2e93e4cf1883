// A small panel at a button, over everything else.

/**
 * afloat takes a panel out of what it stands in, which may scroll, clip, or be a form of its own, and keeps it under its
 * button, or over it where there is more room. In a dialog it stays, which keeps the keyboard to itself.
 */
export const afloat = (button: () => HTMLElement) => (panel: HTMLElement) => {
  (button().closest("[role=dialog]") ?? document.body).append(panel);

  const follow = () => {
    const { top, bottom, right } = button().getBoundingClientRect();
    panel.style.top = panel.style.left = "0";
    // What is fixed in a dialog that was moved is placed from the dialog's corner.
    const { top: y, left: x, height, width } = panel.getBoundingClientRect();
    const below = bottom + 4 + height <= innerHeight || top < innerHeight - bottom;
    panel.style.top = `${(below ? bottom + 4 : Math.max(4, top - 4 - height)) - y}px`;
    panel.style.left = `${Math.max(4, Math.min(right, innerWidth - 4) - width) - x}px`;
  };
  follow();
  const sizes = new ResizeObserver(follow);
  sizes.observe(panel);
  addEventListener("resize", follow);
  addEventListener("scroll", follow, true);
  return () => {
    sizes.disconnect();
    removeEventListener("resize", follow);
    removeEventListener("scroll", follow, true);
  };
};
