// The applet's key: it is removed from the URL before anything else is loaded, and kept in this tab across reloads.
{
  const KEPT = "arbiter-applet-key";
  const meta = /** @type {HTMLMetaElement} */ (document.querySelector('meta[name="csrf"]'));
  try {
    if (meta.content) sessionStorage.setItem(KEPT, meta.content);
    else meta.content = sessionStorage.getItem(KEPT) ?? "";
  } catch {
    // Storage is forbidden: the key lasts for this page.
  }
  if (location.search) history.replaceState(null, "", location.pathname);
}
