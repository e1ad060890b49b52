// Applies the reader's colour scheme before the first paint.
try {
  const scheme = localStorage.getItem("scheme");
  if (scheme) document.documentElement.dataset.scheme = scheme;
} catch {
  // storage is forbidden: the system's scheme applies
}
