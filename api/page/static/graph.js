// The picture: nodes with their edges, or entities with their relations.
import cytoscape from "./vendor/cytoscape-3.35.0.mjs";
import { $ } from "./dom.js";
import { kindShade, kindShape, NODE_SHAPES, shade, themed } from "./looks.js";

const MANY = 300;
let cy = null;
let picked = () => {};

function style() {
  const [text, quiet, ground, edge, accent, marked, surface] = ["text", "quiet", "ground", "edge", "accent", "mark", "surface"].map(themed);
  const many = cy && cy.nodes().length > MANY;
  return [
    { selector: "node", style: {
      shape: "data(shape)", width: "data(size)", height: "data(size)", label: "data(name)",
      "background-color": "data(colour)", "border-color": "data(colour)", "border-width": 2.5,
      color: text, "font-family": "system-ui, sans-serif", "font-size": 14, "font-weight": 600, "min-zoomed-font-size": many ? 8 : 5,
      "text-valign": "bottom", "text-margin-y": 5, "text-wrap": "ellipsis", "text-max-width": 170,
      "text-outline-color": ground, "text-outline-width": many ? 0 : 2.5,
    } },
    { selector: "node[?hollow]", style: { "background-color": surface } },
    { selector: "node[?archived]", style: { "border-style": "dashed" } },
    { selector: "node[?root]", style: { "font-size": 17 } },
    { selector: "node.then", style: { opacity: 0.28 } },
    { selector: "edge", style: { width: 1.6, "line-color": edge, opacity: 0.7, "curve-style": many ? "haystack" : "straight" } },
    { selector: "edge[label]", style: {
      "curve-style": "unbundled-bezier", "control-point-distances": 36, "line-style": "dashed", "line-color": edge, opacity: 0.95, "target-arrow-shape": "triangle",
      "target-arrow-color": edge, "arrow-scale": 0.9, label: "data(label)", color: quiet, "font-size": 11, "min-zoomed-font-size": 6,
      "font-family": "system-ui, sans-serif", "text-rotation": "autorotate", "text-outline-color": ground, "text-outline-width": 2,
    } },
    { selector: "edge[?solid]", style: { "line-style": "solid" } },
    { selector: ".aside", style: { opacity: 0.2 } },
    { selector: "edge.aside", style: { opacity: 0.12 } },
    { selector: "edge.way", style: { "line-color": marked, width: 4, opacity: 1, "z-index": 5 } },
    { selector: "node.way", style: { "border-color": marked } },
    { selector: "node.hit", style: { "background-color": marked, "border-color": marked } },
    { selector: "node.anchor", style: { "border-color": marked, "border-width": 6, "border-style": "double" } },
    { selector: "node:selected", style: { "overlay-color": accent, "overlay-opacity": 0.22, "overlay-padding": 8 } },
  ];
}

export function draw(elements, onPick) {
  picked = onPick;
  cy?.destroy();
  const many = elements.nodes.length > MANY;
  cy = cytoscape({
    container: $("graph"), elements, layout: { name: "preset" }, minZoom: 0.03, maxZoom: 3,
    boxSelectionEnabled: false, autoungrabify: many, textureOnViewport: many, hideLabelsOnViewport: many,
    selectionType: "single", style: [],
  });
  cy.style().fromJson(style()).update();
  cy.on("tap", "node", (event) => picked(event.target.id()));
  cy.on("mouseover", "node", () => ($("graph").style.cursor = "pointer"));
  cy.on("mouseout", "node", () => ($("graph").style.cursor = ""));
  fit();
  return cy;
}

export function restyle(colours) {
  if (!cy) return;
  cy.batch(() => cy.nodes().forEach((node) => node.data("colour", colours(node.data()))));
  cy.style().fromJson(style()).update();
}

export const colourOf = (data) => (data.kind ? kindShade(data.kind) : shade(data.branch));

export function fit() {
  cy?.fit(undefined, 46);
  if (cy && cy.zoom() > 1.25) {
    cy.zoom(1.25);
    cy.center();
  }
}

export function zoom(by) {
  cy?.zoom({ level: cy.zoom() * by, renderedPosition: { x: cy.width() / 2, y: cy.height() / 2 } });
}

export function pan(x, y) {
  cy?.panBy({ x, y });
}

export function select(id) {
  if (!cy) return;
  cy.nodes(":selected").unselect();
  const node = cy.getElementById(id);
  if (node.empty()) return;
  node.select();
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
    for (const id of hits) cy.getElementById(id).removeClass("aside").addClass("hit");
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
      node.data("size", size);
      node.toggleClass("then", then);
    }
  });
}

export function nodeElements(nodes, edges, places, branches) {
  const parts = nodes.map((node) => ({
    data: {
      id: node.node_id, name: node.name, shape: NODE_SHAPES[node.node_type], size: nodeSize(node, node.records), root: node.layer === 0,
      branch: branches.get(node.node_id), colour: shade(branches.get(node.node_id)),
      hollow: node.state !== "active" || node.archived || node.items === 0, archived: node.archived,
    },
    position: { ...places.get(node.node_id) },
  }));
  const ids = new Set(nodes.map((node) => node.node_id));
  const lines = nodes.filter((node) => ids.has(node.parent_id)).map((node) => ({
    data: { id: `way ${node.node_id}`, source: node.parent_id, target: node.node_id },
  }));
  const across = edges.filter((edge) => ids.has(edge.source_id) && ids.has(edge.target_id)).map((edge) => ({
    data: { id: edge.edge_id, source: edge.source_id, target: edge.target_id, label: edge.edge_type.replaceAll("_", " ").toLowerCase() },
  }));
  return { nodes: parts, edges: [...lines, ...across] };
}

export const nodeSize = (node, records) => (node.layer === 0 ? 46 : Math.min(20 + 6 * Math.sqrt(records), 50));

export function entityElements(entities, relations, places) {
  const most = Math.max(1, ...entities.map((one) => one.mentions));
  return {
    nodes: entities.map((one) => ({
      data: {
        id: one.entity_id, name: one.name, kind: one.kind, shape: kindShape(one.kind), colour: kindShade(one.kind),
        size: 20 + 28 * Math.sqrt(one.mentions / most),
      },
      position: { ...places.get(one.entity_id) },
    })),
    edges: relations.map((one) => ({
      data: { id: one.relation_id, source: one.source, target: one.target, label: one.reads, solid: true },
    })),
  };
}
