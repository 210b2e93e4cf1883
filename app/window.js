// Adapts the page to the window. It runs before the scripts of the page.
"use strict";
{
  const bound = () => window.go.app.Window;

  // Open the page that the command line asks for.
  if (start.page && !location.hash) history.replaceState(null, "", `#${start.page}`);

  // WebKitGTK reports the locale "C", which is not a language tag and makes formatters throw.
  try {
    Intl.getCanonicalLocales([...navigator.languages]);
  } catch {
    Object.defineProperty(navigator, "language", { value: "en" });
    Object.defineProperty(navigator, "languages", { value: ["en"] });
  }

  // Open links to other sites in the browser instead of the window.
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

  // A file dropped on the window would replace the page.
  for (const kind of ["dragover", "drop"]) {
    addEventListener(kind, (event) => {
      if (!event.defaultPrevented) event.preventDefault();
    });
  }

  // For benchmarks and tests: report when a text has been painted.
  if (start.await) {
    const look = () => {
      if (!document.body?.innerText.includes(start.await)) return;
      watch.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => fetch("/window/shown")));
    };
    const watch = new MutationObserver(look);
    // Attributes too: rows of a list are hidden until they have been measured.
    watch.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    look();
  }
}
