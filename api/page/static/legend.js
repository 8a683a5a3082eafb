// What the shapes and colours of the picture mean.
import { $, el } from "./dom.js";
import { kindShade, kindShape, mark, themed } from "./looks.js";
import { MOST_ENTITIES, view } from "./view.js";

export function legend() {
  const entry = (symbol, text) => el("li", {}, symbol, el("span", {}, text));
  const line = themed("quiet");
  const kinds = [...new Set(view.entities.slice(0, MOST_ENTITIES).map((one) => one.kind))];
  const shapes = view.tab === "entities" ? kinds.map((kind) => entry(mark(kindShape(kind), kindShade(kind)), kind)) : [
    entry(mark("round-octagon", line, { hollow: true }), "the user"), entry(mark("ellipse", line, { hollow: true }), "concept"),
    entry(mark("diamond", line, { hollow: true }), "persona"), entry(mark("ellipse", line), "filled: files awake"),
    entry(mark("ellipse", line, { hollow: true }), "pale: asleep or empty"), entry(mark("ellipse", line, { hollow: true, dashed: true }), "archived"),
  ];
  if (view.answer && view.tab === "nodes") {
    shapes.push(entry(mark("ellipse", themed("mark"), { hollow: true, ring: true }), "anchor"), entry(mark("ellipse", themed("mark")), "holds hits"));
  }
  const dotted = view.tab === "entities" ? [el("li", {}, "dotted: spoken of together, and in how many records")] : [];
  $("legend").replaceChildren(...shapes, ...dotted, el("li", {}, view.tab === "nodes" ? "size: records" : "size: mentions"));
}
