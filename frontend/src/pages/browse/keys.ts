// Keyboard navigation of the page.

/**
 * moves makes arrow keys, Home and End move the focus between the links of a list. In the page's search box, it makes
 * Arrow Down move the focus to the first link. Use it as an attachment.
 */
export function moves(list: HTMLElement): () => void {
  const all = () => [...list.querySelectorAll<HTMLElement>("a[data-move]")];
  const onkeydown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const links = all();
    const at = links.findIndex((link) => link === document.activeElement);
    const searching = event.target instanceof HTMLElement && event.target.role === "searchbox";
    if (at < 0 && !(searching && event.key === "ArrowDown")) return;
    const to =
      event.key === "ArrowDown" || event.key === "ArrowRight"
        ? links[at + 1]
        : event.key === "ArrowUp" || event.key === "ArrowLeft"
          ? links[at - 1]
          : event.key === "Home"
            ? links[0]
            : event.key === "End"
              ? links.at(-1)
              : undefined;
    if (!to) return;
    event.preventDefault();
    to.focus();
  };
  addEventListener("keydown", onkeydown);
  return () => removeEventListener("keydown", onkeydown);
}

/**
 * begin moves the focus to the first field of a view that has replaced another view, or to the new view if it has no
 * field. It leaves the focus where it is if the user has moved it elsewhere. Use it as an attachment.
 */
export function begin(view: HTMLElement): void {
  const now = document.activeElement;
  if (now && now !== document.body && !now.closest("[role=dialog] > header") && now.role !== "dialog") return;
  const field = view.querySelector<HTMLElement>("input:not([type=radio]), select");
  (field ?? view).focus({ preventScroll: true });
}
