// What the page needs in the window and not in a browser. It runs before the page's own scripts.
"use strict";
{
  const bound = () => window.go.app.Window;

  // A start that asked for a page begins there.
  if (start.page && !location.hash) history.replaceState(null, "", `#${start.page}`);

  // WebKitGTK passes on what the system says: "C" is no language, and formatters throw at it.
  try {
    Intl.getCanonicalLocales([...navigator.languages]);
  } catch {
    Object.defineProperty(navigator, "language", { value: "en" });
    Object.defineProperty(navigator, "languages", { value: ["en"] });
  }

  // Nothing takes the window away from the dashboard: what leads elsewhere opens outside.
  const follow = (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || event.defaultPrevented || link.hasAttribute("download")) return;
    const outside = new URL(link.href, location).origin !== location.origin;
    if (!outside && link.target !== "_blank" && event.button === 0) return;
    event.preventDefault();
    if (outside) bound().OpenURL(link.href).catch(() => {});
  };
  addEventListener("click", follow);
  addEventListener("auxclick", follow);
  window.open = (address) => {
    bound().OpenURL(String(new URL(address ?? "", location))).catch(() => {});
    return null;
  };

  // A file that is dropped on the window would replace the page.
  for (const kind of ["dragover", "drop"]) {
    addEventListener(kind, (event) => {
      if (!event.defaultPrevented) event.preventDefault();
    });
  }

  // For tests: says when a text has been painted.
  if (start.await) {
    const look = () => {
      if (!document.body?.innerText.includes(start.await)) return;
      watch.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => fetch("/window/shown")));
    };
    const watch = new MutationObserver(look);
    // Attributes too: what a list has not measured yet is there, but hidden.
    watch.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    look();
  }
}
