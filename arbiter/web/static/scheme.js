// The scheme that a reader chose, before anything is painted.
try {
  const scheme = localStorage.getItem("scheme");
  if (scheme) document.documentElement.dataset.scheme = scheme;
} catch {
  // storage may be forbidden: then it is the system's
}
