// Placement of menus and popovers at their button.

/**
 * positionAt keeps a panel below its button, or above the button if there is more room. It moves the panel to the end
 * of the landmark that contains the button, because the parent of the panel may scroll, clip its content or be a
 * form. In a dialog, which traps the focus, it moves the panel to the end of the dialog.
 */
export const positionAt = (button: () => HTMLElement) => (panel: HTMLElement) => {
  (button().closest("[role=dialog], main, nav") ?? document.body).append(panel);

  const follow = () => {
    const { top, bottom, right } = button().getBoundingClientRect();
    panel.style.top = panel.style.left = "0";
    // In a transformed dialog, position: fixed is relative to the dialog.
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
