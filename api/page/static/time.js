// The slider: days from the first record to the last one; its right end is now.
import { $, counted, el, shownDay, svg } from "./dom.js";

const LENGTH = 86400000;
let first = 0;
let last = 0;
let counts = [];
let total = 0;
let undated = 0;
let changed = () => {};
let playing = 0;
let settled = 0;

const dayNumber = (day) => Math.floor(Date.parse(day) / LENGTH);

export function show(timeline, onChange) {
  stop();
  changed = onChange;
  const dated = timeline.filter((one) => one.day);
  const days = dated.map((one) => dayNumber(one.day));
  first = days.length ? days[0] : dayNumber(new Date().toISOString());
  last = days.length ? days[days.length - 1] : first;
  undated = timeline.filter((one) => !one.day).reduce((sum, one) => sum + one.records, 0);
  counts = dated.map((one) => [dayNumber(one.day), one.records]);
  total = undated + counts.reduce((sum, [, records]) => sum + records, 0);
  Object.assign($("day"), { min: 0, max: last - first + 1, value: last - first + 1, disabled: !days.length });
  $("play").disabled = !days.length;
  bars();
  tell();
}

// The last day that is shown, as in 2025-03-01; null is now.
export function day() {
  const value = Number($("day").value);
  return value > last - first ? null : new Date((first + value) * LENGTH).toISOString().slice(0, 10);
}

export const told = () => day() && `as of ${shownDay(day())}`;

export const asOf = () => (day() ? `${day()}T23:59:59.999Z` : null);

function bars() {
  const span = last - first + 1;
  const many = Math.min(90, span);
  const heights = new Array(many).fill(0);
  for (const [number, records] of counts) heights[Math.floor(((number - first) / span) * many)] += records;
  const most = Math.max(...heights, 1);
  $("days").setAttribute("viewBox", `0 0 ${many} 26`);
  $("days").replaceChildren(
    ...heights.map((height, place) => svg("rect", { x: place + 0.12, width: 0.76, y: 26 - (24 * height) / most, height: (24 * height) / most })),
  );
}

function tell() {
  const until = day() ? dayNumber(day()) : Infinity;
  const known = undated + counts.reduce((sum, [number, records]) => sum + (number <= until ? records : 0), 0);
  const name = day() ? shownDay(day()) : "now";
  const about = day() ? `${known} of ${counted(total, "record")}` : counted(total, "record");
  $("shown-day").replaceChildren(name, el("small", {}, about));
  $("day").setAttribute("aria-valuetext", `${name}, ${about}`);
  const all = [...$("days").children];
  const part = Number($("day").value) / (last - first + 1);
  all.forEach((bar, place) => bar.setAttribute("class", place < part * all.length || !day() ? "past" : ""));
  return `As of ${name}: ${about}`;
}

function moved() {
  const text = tell();
  changed(false);
  clearTimeout(settled);
  settled = setTimeout(() => {
    changed(true, text);
  }, 250);
}

function stop() {
  clearInterval(playing);
  playing = 0;
  $("play").textContent = "▶";
  $("play").setAttribute("aria-label", "Play from the first day");
}

function play() {
  if (playing) {
    stop();
    return;
  }
  $("play").textContent = "❚❚";
  $("play").setAttribute("aria-label", "Pause");
  if (!day()) $("day").value = 0;
  const step = Math.max(1, Math.round((last - first) / 160));
  playing = setInterval(() => {
    $("day").value = Number($("day").value) + step;
    moved();
    if (!day()) stop();
  }, 75);
}

export function listen() {
  $("day").addEventListener("input", () => {
    stop();
    moved();
  });
  $("play").addEventListener("click", play);
}
