// What every page does beyond being read: a scheme that is remembered, moments in the reader's zone.
const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");

function remembered() {
  try {
    return localStorage.getItem("scheme");
  } catch {
    return null; // storage may be forbidden
  }
}

function show(scheme) {
  if (scheme) root.dataset.scheme = scheme;
  const button = document.querySelector(".scheme");
  const isDark = scheme ? scheme === "dark" : dark.matches;
  button.textContent = isDark ? "Light" : "Dark";
  button.setAttribute("aria-label", isDark ? "Switch to light colours" : "Switch to dark colours");
  button.hidden = false;
}

export function moments(element) {
  for (const time of element.querySelectorAll("time")) {
    const when = new Date(time.dateTime);
    if (!Number.isNaN(when.valueOf())) {
      time.textContent = when.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
      time.title = `${time.dateTime} (${Intl.DateTimeFormat().resolvedOptions().timeZone})`;
    }
  }
}

document.querySelector(".scheme").addEventListener("click", () => {
  const now = root.dataset.scheme ?? (dark.matches ? "dark" : "light");
  const scheme = now === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("scheme", scheme);
  } catch {
    // then it lasts for this page
  }
  show(scheme);
});
show(remembered());
moments(document);
