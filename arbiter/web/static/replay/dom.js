// Elements without markup: every name and text is put in as text.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element; attributes that are null or false are left out, `on` is a map of listeners. */
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** A name or text of others: its direction does not leave the element. */
export function foreign(text, name = "") {
  return el("bdi", { class: name || null }, text);
}

/** Text for a screen reader alone. */
export function spoken(text) {
  return el("span", { class: "rp-spoken" }, text);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}
