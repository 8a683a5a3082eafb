// The picture: nodes with their edges, or entities with their relations.
import cytoscape from "./vendor/cytoscape-3.35.0.mjs";
import { $ } from "./dom.js";
import { isHollow, kindShade, kindShape, NODE_SHAPES, shade, themed, tint } from "./looks.js";

const MANY = 300;
const PART = 150;
let drawing = 0;
let cy = null;
let picked = () => {};

function style(many) {
  const [text, quiet, ground, edge, accent, marked] = ["text", "quiet", "ground", "edge", "accent", "mark"].map(themed);
  return [
    { selector: "node", style: {
      shape: "data(shape)", width: "data(size)", height: "data(size)", label: "data(name)",
      "background-color": "data(fill)", "border-color": "data(colour)", "border-width": 2.5,
      color: text, "font-family": "system-ui, sans-serif", "font-size": 14, "font-weight": 600, "min-zoomed-font-size": many ? 8 : 5,
      "text-valign": "bottom", "text-margin-y": 5, "text-wrap": "ellipsis", "text-max-width": 170,
      "text-outline-color": ground, "text-outline-width": many ? 0 : 2.5,
    } },
    { selector: "node[?archived]", style: { "border-style": "dashed" } },
    { selector: "node[?root]", style: { "font-size": 17 } },
    { selector: "edge", style: { width: 2, "line-color": edge, opacity: 0.75, "curve-style": many ? "haystack" : "straight" } },
    { selector: "edge[colour]", style: { "line-color": "data(colour)" } },
    { selector: "edge[label]", style: {
      "curve-style": "unbundled-bezier", "control-point-distances": 30, width: 1.4, "line-style": "dashed", "line-dash-pattern": [4, 4], opacity: 0.5,
      "target-arrow-shape": "triangle", "target-arrow-color": edge, "arrow-scale": 0.8, color: quiet, "font-size": 12, "min-zoomed-font-size": 6,
      "font-family": "system-ui, sans-serif", "text-rotation": "autorotate", "text-outline-color": ground, "text-outline-width": 3,
    } },
    { selector: "edge[?solid]", style: { "curve-style": "bezier", "control-point-step-size": 64, "line-style": "solid", opacity: 0.9, label: "data(label)" } },
    { selector: "edge.near", style: { label: "data(label)", opacity: 1, width: 2.2, "line-color": accent, "target-arrow-color": accent, color: text } },
    { selector: "edge[times]", style: {
      "curve-style": "straight", width: 1, "line-style": "dotted", opacity: 0.45, label: "data(times)", color: quiet, "font-size": 10, "min-zoomed-font-size": 7,
      "font-family": "system-ui, sans-serif", "text-outline-color": ground, "text-outline-width": 3,
    } },
    { selector: ".then", style: { opacity: 0.25 } },
    { selector: ".aside", style: { opacity: 0.2 } },
    { selector: "edge.aside", style: { opacity: 0.1 } },
    { selector: "edge.way", style: { "line-color": marked, width: 4, opacity: 1, "z-index": 5 } },
    { selector: "node.way", style: { "border-color": marked, opacity: 1 } },
    { selector: "node.hit", style: { "background-color": marked, "border-color": marked } },
    { selector: "node.anchor", style: { "border-color": marked, "border-width": 6, "border-style": "double" } },
    { selector: "node:selected", style: { "overlay-color": accent, "overlay-opacity": 0.22, "overlay-padding": 9, "overlay-shape": "ellipse" } },
  ];
}

// The zoom and the place at which all positions are seen.
function seen(nodes) {
  const [xs, ys] = ["x", "y"].map((axis) => nodes.map((node) => node.position[axis]));
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const { clientWidth: wide, clientHeight: high } = $("graph");
  const level = Math.max(0.03, Math.min((wide - 90) / (right - left), (high - 90) / (bottom - top)));
  return { zoom: level, pan: { x: wide / 2 - (level * (left + right)) / 2, y: high / 2 - (level * (top + bottom)) / 2 } };
}

export async function draw(elements, onPick) {
  picked = onPick;
  const many = elements.nodes.length > MANY;
  const mine = ++drawing;
  cy?.destroy();
  cy = cytoscape({
    container: $("graph"), minZoom: 0.03, maxZoom: 3, style: style(many), boxSelectionEnabled: false, selectionType: "single",
    autoungrabify: many, textureOnViewport: many, hideLabelsOnViewport: many, ...(many ? seen(elements.nodes) : {}),
  });
  for (const one of $("graph").children) one.setAttribute("aria-hidden", "true"); // its label tells what they show
  const made = cy;
  // Some elements a frame: the page answers meanwhile.
  const waiting = [...elements.nodes, ...elements.edges];
  while (waiting.length) {
    made.add(waiting.splice(0, many ? PART : MANY * 4));
    if (waiting.length) await new Promise(requestAnimationFrame);
    if (mine !== drawing) return made;
  }
  cy.on("tap", "node", (event) => picked(event.target.id()));
  cy.on("mouseover", "node", (event) => {
    $("graph").style.cursor = "pointer";
    near(event.target);
  });
  cy.on("mouseout", "node", () => {
    $("graph").style.cursor = "";
    near(cy.nodes(":selected"));
  });
  if (!many) fit();
  return cy;
}

// Edges across the tree have their names where a node is looked at.
function near(nodes) {
  cy.batch(() => {
    cy.edges(".near").removeClass("near");
    nodes.connectedEdges("[label]").addClass("near");
  });
}

export function restyle() {
  if (!cy) return;
  cy.batch(() => cy.elements("[branch], [kind]").forEach((one) => one.data(toned(one.data()))));
  cy.style().fromJson(style(cy.nodes().length > MANY)).update();
}

function toned(data) {
  const colour = data.kind ? kindShade(data.kind) : shade(data.branch);
  return { colour, fill: data.hollow ? tint(colour) : colour };
}

function fit() {
  cy?.fit(undefined, 46);
  if (cy && cy.zoom() > 1.25) {
    cy.zoom(1.25);
    cy.center();
  }
}

function zoom(by) {
  cy?.zoom({ level: cy.zoom() * by, renderedPosition: { x: cy.width() / 2, y: cy.height() / 2 } });
}

function pan(x, y) {
  cy?.panBy({ x, y });
}

export function look(how) {
  if (how === "fit") fit();
  else zoom(how === "in" ? 1.3 : 1 / 1.3);
}

export function keys(event) {
  const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  const looks = { "+": "in", "=": "in", "-": "out", 0: "fit" };
  if (moves[event.key]) pan(...moves[event.key]);
  else if (looks[event.key]) look(looks[event.key]);
  else return;
  event.preventDefault();
}

export function select(id) {
  if (!cy) return;
  cy.nodes(":selected").unselect();
  near(cy.collection());
  const node = cy.getElementById(id);
  if (node.empty()) return;
  node.select();
  near(node);
  const { x, y } = node.renderedPosition();
  if (x < 30 || y < 30 || x > cy.width() - 30 || y > cy.height() - 30) cy.center(node);
  if (cy.zoom() < 0.35 && cy.nodes().length > MANY) cy.zoom({ level: 0.8, position: node.position() });
}

// What was touched: the rest steps back.
export function highlight({ anchors, ways, hits }) {
  if (!cy) return;
  cy.batch(() => {
    cy.elements().removeClass("aside anchor way hit");
    if (!anchors.size && !ways.size && !hits.size) return;
    cy.elements().addClass("aside");
    for (const id of ways) cy.getElementById(id).removeClass("aside").addClass("way");
    for (const id of anchors) cy.getElementById(id).removeClass("aside").addClass("anchor");
    for (const id of hits.keys()) cy.getElementById(id).removeClass("aside").addClass("hit");
    cy.edges("[label]").forEach((edge) => {
      if (!edge.source().hasClass("aside") && !edge.target().hasClass("aside")) edge.removeClass("aside");
    });
  });
}

// Sizes by what a node held on a day; those that were empty then step back.
export function resize(sizes) {
  if (!cy) return;
  cy.batch(() => {
    for (const [id, [size, then]] of sizes) {
      const node = cy.getElementById(id);
      if (node.empty()) continue;
      if (node.data("size") !== size) node.data("size", size);
      if (node.hasClass("then") === then) continue;
      node.toggleClass("then", then);
      node.connectedEdges().forEach((edge) => {
        edge.toggleClass("then", edge.source().hasClass("then") || edge.target().hasClass("then"));
      });
    }
  });
}

export function nodeElements(nodes, edges, places, branches) {
  const look = (node) => {
    const data = { branch: branches.get(node.node_id), hollow: isHollow(node) };
    return { ...data, ...toned(data) };
  };
  const parts = nodes.map((node) => ({
    data: {
      id: node.node_id, name: node.name, shape: NODE_SHAPES[node.node_type], size: nodeSize(node, node.records), root: node.layer === 0,
      archived: node.archived, ...look(node),
    },
    position: { ...places.get(node.node_id) },
  }));
  const ids = new Set(nodes.map((node) => node.node_id));
  const lines = nodes.filter((node) => ids.has(node.parent_id)).map((node) => ({
    data: { id: `way ${node.node_id}`, source: node.parent_id, target: node.node_id, ...look(node) },
  }));
  const across = edges.filter((edge) => ids.has(edge.source_id) && ids.has(edge.target_id)).map((edge) => ({
    data: { id: edge.edge_id, source: edge.source_id, target: edge.target_id, label: edge.edge_type.replaceAll("_", " ").toLowerCase() },
  }));
  return { nodes: parts, edges: [...lines, ...across] };
}

export function clear() {
  drawing++;
  cy?.elements().remove();
}

export const nodeSize = (node, records) => (node.layer === 0 ? 46 : Math.min(20 + 6 * Math.sqrt(records), 50));

export function entityElements(entities, relations, together, places) {
  const most = Math.max(1, ...entities.map((one) => one.mentions));
  return {
    nodes: entities.map((one) => ({
      data: {
        id: one.entity_id, name: one.name, kind: one.kind, shape: kindShape(one.kind), ...toned(one),
        size: 20 + 28 * Math.sqrt(one.mentions / most),
      },
      position: { ...places.get(one.entity_id) },
    })),
    edges: [
      ...together.map((one) => ({
        data: { id: `${one.first_id} ${one.other_id}`, source: one.first_id, target: one.other_id, times: `${one.records}×` },
      })),
      ...relations.map((one) => ({
        data: { id: one.relation_id, source: one.source_id, target: one.target_id, label: one.reads, solid: true },
      })),
    ],
  };
}
