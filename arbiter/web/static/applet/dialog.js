// Dialogs with fields: each error appears at its field.

import { el } from "../replay/dom.js";
import { onRefusal } from "./server.js";
/** @import { Mistake } from "./server.js" */

/** A dialog with a form; `submit()` carries out its action and may throw a Refusal; `fieldOf(name)` returns the
 * element of the applet's field name, or nothing.
 * @param {string} title @param {string} label @param {HTMLElement[]} parts @param {() => Promise<void>} submit
 * @param {(name: string) => HTMLElement | null | undefined} fieldOf */
export function makeDialog(title, label, parts, submit, fieldOf) {
  const wrong = el("p", { class: "ap-wrong", role: "alert" });
  const close = el("button", { type: "button", on: { click: () => element.close() } }, "Cancel");
  const form = el("form", { novalidate: true, on: { submit: (event) => {
    event.preventDefault();
    clear();
    onRefusal(submit().then(() => element.close()), ({ errors }) => complainOf(errors));
  } } }, ...parts, wrong, el("div", { class: "ap-row" }, el("button", { type: "submit", class: "ap-main-button" }, label), close));
  const id = `ap-dialog-${title.toLowerCase().replaceAll(/\W+/g, "-")}`;
  const element = el("dialog", { class: "ap-dialog", "aria-labelledby": id }, el("h2", { id }, title), form);

  function clear() {
    wrong.textContent = "";
    for (const field of element.querySelectorAll("[aria-invalid]")) {
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-describedby");
    }
    for (const line of element.querySelectorAll(".ap-wrong-field")) line.remove();
  }

  /** Shows each error at its field, and those without a field below all. */
  function complainOf(/** @type {Mistake[]} */ errors) {
    const others = /** @type {string[]} */ ([]);
    for (const { message, hint, field } of errors) {
      const words = hint ? `${message} (${hint})` : message;
      const at = field ? fieldOf(field) : null;
      if (!at) {
        others.push(words);
        continue;
      }
      const line = el("p", { class: "ap-wrong ap-wrong-field", id: `${at.id}-wrong` }, words);
      at.setAttribute("aria-invalid", "true");
      at.setAttribute("aria-describedby", line.id);
      at.closest(".ap-field")?.append(line);
      at.closest("details")?.setAttribute("open", "");
    }
    wrong.textContent = others.join("; ");
    /** @type {HTMLElement | null} */ (element.querySelector("[aria-invalid]"))?.focus();
  }

  return { element, open: () => {
    clear();
    element.showModal();
  } };
}

/** Shows the error of a field, "" for none, in `wrong` below it. */
export function complain(/** @type {HTMLElement} */ field, /** @type {HTMLElement} */ wrong, /** @type {HTMLElement} */ note, /** @type {string} */ problem) {
  wrong.textContent = problem;
  field.setAttribute("aria-invalid", String(Boolean(problem)));
  field.setAttribute("aria-describedby", problem ? `${wrong.id} ${note.id}` : note.id);
}

/** Enables or disables a button; a disabled one stays focusable. */
export function enable(/** @type {HTMLElement} */ button, /** @type {boolean} */ isUsable) {
  if (isUsable) button.removeAttribute("aria-disabled");
  else button.setAttribute("aria-disabled", "true");
}

/** A label above its field. */
export function labelled(/** @type {string} */ text, /** @type {HTMLElement} */ field, note = "") {
  return el("div", { class: "ap-field" }, el("label", { for: field.id }, text), field, note ? el("p", { class: "ap-note" }, note) : null);
}

export function input(/** @type {string} */ id, attributes = {}) {
  return el("input", { id, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", ...attributes });
}
