// Elements from data: text is set as text, never parsed.
export const $ = (id) => document.getElementById(id);

export function el(name, given = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (key === "on") for (const [event, call] of Object.entries(value)) made.addEventListener(event, call);
    else if (key === "class") made.className = value;
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export function svg(name, given = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export const button = (text, click, kind = "link", more = {}) =>
  el("button", { type: "button", class: kind, on: { click }, ...more }, text);

export const counted = (number, what) =>
  `${number.toLocaleString("en")} ${number === 1 ? what : what.endsWith("y") ? `${what.slice(0, -1)}ies` : `${what}s`}`;

const DAY = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

export const shownDay = (time) => (time ? DAY.format(new Date(time)) : "undated");

export function say(text) {
  $("said").textContent = text;
}

let hiding = 0;
export function showProblem(error) {
  if (error.name === "AbortError") return;
  clearTimeout(hiding);
  $("problem").textContent = error.message;
  $("problem").hidden = false;
  hiding = setTimeout(() => ($("problem").hidden = true), 12000);
}

export function hideProblem() {
  $("problem").hidden = true;
}
