// Creation of elements: every name and text is inserted as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {{ [name: string]: unknown, on?: Record<string, (event: any) => void>, vars?: Record<string, number> }} Attributes */
/** @typedef {Node | string | number | null | undefined} Child @typedef {Child | Child[]} Part */

/** An HTML element; attributes that are null or false are left out, `on` is a map of listeners, `vars` one of numbers for the style.
 * @template {keyof HTMLElementTagNameMap} T @param {T} tag @param {Attributes} [attributes] @param {Part[]} children @returns {HTMLElementTagNameMap[T]} */
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element.
 * @template {keyof SVGElementTagNameMap} T @param {T} tag @param {Attributes} [attributes] @param {Part[]} children @returns {SVGElementTagNameMap[T]} */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** An untrusted name or text, with its direction isolated. */
export function foreign(/** @type {string} */ text, name = "") {
  return el("bdi", { class: name || null }, text);
}

/** Text for a screen reader alone. */
export function spoken(/** @type {string} */ text) {
  return el("span", { class: "rp-spoken" }, text);
}

/** @template {HTMLElement | SVGElement} E @param {E} element @param {Attributes | undefined} attributes @param {Part[]} children */
function fill(element, attributes, children) {
  const { on = {}, vars = {}, ...others } = attributes ?? {};
  for (const [event, listener] of Object.entries(on)) element.addEventListener(event, listener);
  // The content security policy forbids style attributes.
  for (const [name, value] of Object.entries(vars)) element.style.setProperty(`--${name}`, String(value));
  for (const [name, value] of Object.entries(others)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  const there = children.flat().filter((child) => child !== null && child !== undefined);
  element.append(.../** @type {(Node | string)[]} */ (there));
  return element;
}
