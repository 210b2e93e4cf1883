// Placement of menus and popovers at their button.

/**
 * positionAt moves a panel to the end of its landmark, because its parent may scroll, clip or be a form, and keeps it
 * below its button, or above where there is more room. The panel of a button in a dialog is moved to the end of the
 * dialog, which traps the focus.
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
