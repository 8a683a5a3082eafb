// How nodes and entities look. A colour never says anything alone: branches have names, states and kinds have shapes.
import { svg } from "./dom.js";

const LIGHT = ["#5a45c4", "#0f7a6c", "#b4482e", "#8a6100", "#2c6ab0", "#a23a80", "#4d7318", "#5b6472"];
const DARK = ["#b3a5ff", "#5fd0be", "#ff9d83", "#e6bd55", "#84bbf5", "#f197d2", "#a6d068", "#b6bfcd"];

export const isDark = () => document.documentElement.dataset.theme === "dark";
export const shade = (number) => (isDark() ? DARK : LIGHT)[number % 8];

export function themed(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// A light tone of a colour that hides what lies behind it.
export function tint(colour, ground = themed("surface"), share = 0.2) {
  const parts = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const [over, under] = [parts(colour), parts(ground)];
  return `#${over.map((one, place) => Math.round(one * share + under[place] * (1 - share)).toString(16).padStart(2, "0")).join("")}`;
}

export const NODE_SHAPES = { user: "round-octagon", persona: "diamond", concept: "ellipse" };
export const NODE_TYPES = { user: "the user", persona: "persona", concept: "concept" };
export const STATES = { active: "files awake", dormant: "files asleep", rehydrating: "files being restored" };
export const stateOf = (node) => (node.archived ? "archived" : node.records === 0 && node.items === 0 ? "empty" : STATES[node.state]);

const KINDS = ["person", "organization", "place", "project", "product", "event", "thing"];
const KIND_SHAPES = ["ellipse", "round-rectangle", "round-triangle", "diamond", "round-hexagon", "star", "round-pentagon"];
const kindNumber = (kind) => {
  const known = KINDS.indexOf(kind);
  return known >= 0 ? known : [...kind].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % KINDS.length;
};
export const kindShape = (kind) => KIND_SHAPES[kindNumber(kind)];
export const kindShade = (kind) => shade(kindNumber(kind));

const OUTLINES = {
  ellipse: ["circle", { cx: 6, cy: 6, r: 5 }],
  "round-octagon": ["path", { d: "M4 1h4l3 3v4l-3 3h-4l-3-3v-4z" }],
  diamond: ["path", { d: "M6 .5 11.5 6 6 11.5 .5 6z" }],
  "round-rectangle": ["rect", { x: 1, y: 1.5, width: 10, height: 9, rx: 1.5 }],
  "round-triangle": ["path", { d: "M6 1 11.5 11h-11z" }],
  "round-hexagon": ["path", { d: "M3.2 1h5.6L12 6 8.8 11H3.2L0 6z" }],
  star: ["path", { d: "M6 0l1.7 4 4.3.3-3.3 2.8 1 4.2L6 9l-3.7 2.3 1-4.2L0 4.3 4.3 4z" }],
  "round-pentagon": ["path", { d: "M6 .5 11.8 4.8 9.6 11.5H2.4L.2 4.8z" }],
};

export function mark(shape, colour, { hollow = false, dashed = false, ring = false } = {}) {
  const [name, given] = OUTLINES[shape];
  const drawn = svg(name, { ...given, fill: hollow ? tint(colour) : colour, stroke: colour, "stroke-width": 1.6 });
  if (dashed) drawn.setAttribute("stroke-dasharray", "2 1.6");
  const around = ring ? [svg("circle", { cx: 6, cy: 6, r: 8.2, fill: "none", stroke: colour, "stroke-width": 1.4 })] : [];
  return svg("svg", { viewBox: "-1 -1 14 14", class: "dot", "aria-hidden": "true" }, drawn, ...around);
}

export const isHollow = (node) => node.state !== "active" || node.archived || node.items === 0;
export const nodeMark = (node, colour) => mark(NODE_SHAPES[node.node_type], colour, { hollow: isHollow(node), dashed: node.archived });
