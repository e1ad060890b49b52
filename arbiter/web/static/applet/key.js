// The applet's key: it leaves the address before anything else is loaded, and stays in this tab, also when it is loaded again.
{
  const KEPT = "arbiter-applet-key";
  const meta = /** @type {HTMLMetaElement} */ (document.querySelector('meta[name="csrf"]'));
  try {
    if (meta.content) sessionStorage.setItem(KEPT, meta.content);
    else meta.content = sessionStorage.getItem(KEPT) ?? "";
  } catch {
    // Where storage is forbidden it is this page's alone.
  }
  if (location.search) history.replaceState(null, "", location.pathname);
}
