// Arrow-key navigation in groups that are one Tab stop, such as tabs and segments.

const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/**
 * arrows handles an arrow key, Home or End in a group of buttons: it focuses and clicks another button of the group.
 */
export function arrows(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const all = [...event.currentTarget.querySelectorAll("button")];
  const at = all.findIndex((button) => button === event.target);
  const step = steps[event.key];
  const next =
    event.key === "Home"
      ? all[0]
      : event.key === "End"
        ? all.at(-1)
        : step && at >= 0
          ? all[(at + step + all.length) % all.length]
          : undefined;
  if (!next || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  event.preventDefault();
  next.focus();
  next.click();
}
