// Where nodes stand: computed at once, without a simulation that runs on. Positions are the same for the same graph.
const canvas = document.createElement("canvas").getContext("2d");
const LINE = 19;

export function labelWidth(text) {
  canvas.font = "600 14px system-ui, sans-serif";
  return Math.min(canvas.measureText(text).width, 170);
}

// A radial tree: each subtree gets a part of the circle by its leaves; rings as far apart as their nodes need.
// `wide`: how much wider than high the picture is.
export function radial(nodes, wide) {
  const children = new Map(nodes.map((node) => [node.node_id, []]));
  for (const node of nodes) children.get(node.parent_id)?.push(node);
  const leaves = new Map();
  for (const node of [...nodes].reverse()) {
    const below = children.get(node.node_id);
    leaves.set(node.node_id, below.length ? below.reduce((sum, one) => sum + leaves.get(one.node_id), 0) : 1);
  }
  const [root] = nodes;
  const angle = new Map([[root.node_id, [-Math.PI / 2, 2 * Math.PI]]]);
  for (const node of nodes) {
    let [start, span] = angle.get(node.node_id);
    for (const child of children.get(node.node_id)) {
      const share = (span * leaves.get(child.node_id)) / leaves.get(node.node_id);
      angle.set(child.node_id, [start, share]);
      start += share;
    }
  }
  return spread(nodes, angle, leaves.get(root.node_id), Math.min(Math.max(wide, 0.8), 1.6));
}

function spread(nodes, angle, leaves, wide) {
  const crowded = nodes.length > 150;
  const gap = crowded ? Math.max(260, (leaves * 30) / (2 * Math.PI * 1.5)) : 70;
  for (let stretch = 1; ; stretch *= 1.06) {
    const places = new Map();
    for (const node of nodes) {
      const [start, span] = angle.get(node.node_id);
      const turn = start + span / 2;
      const radius = node.layer * gap * stretch * (1 - 0.05 * node.layer);
      places.set(node.node_id, { x: Math.round(radius * Math.cos(turn) * wide), y: Math.round(radius * Math.sin(turn)) });
    }
    if (crowded || stretch > 8 || !overlapping(nodes, places)) return places;
  }
}

function overlapping(nodes, places) {
  const boxes = nodes.map((node) => {
    const { x, y } = places.get(node.node_id);
    const half = Math.max(labelWidth(node.name) / 2, 24) + 7;
    return [x - half, x + half, y - 26, y + 26 + LINE];
  });
  return boxes.some((one, place) =>
    boxes.slice(place + 1).some((two) => one[0] < two[1] && two[0] < one[1] && one[2] < two[3] && two[2] < one[3]),
  );
}

// Entities: linked ones near each other and apart from others; those without a link in rows below. A fixed number of steps.
export function forces(nodes, links) {
  const linked = new Set(links.flat());
  const inside = nodes.filter((node) => linked.has(node.entity_id));
  const at = inside.map((node, place) => {
    const turn = place * 2.39996;
    const far = 120 * Math.sqrt(place);
    return { x: far * Math.cos(turn), y: far * Math.sin(turn), half: labelWidth(node.name) / 2 + 20 };
  });
  const number = new Map(inside.map((node, place) => [node.entity_id, place]));
  const pairs = links.map(([one, two]) => [at[number.get(one)], at[number.get(two)]]);
  for (let heat = 1; heat > 0; heat -= 0.004) {
    for (const [one, two] of pairs) pull(one, two, 0.06 * heat);
    for (let i = 0; i < at.length; i++) for (let j = i + 1; j < at.length; j++) push(at[i], at[j], heat);
    for (const one of at) {
      one.x *= 1 - 0.012 * heat;
      one.y *= 1 - 0.012 * heat;
    }
  }
  const places = new Map(inside.map((node, place) => [node.entity_id, { x: Math.round(at[place].x), y: Math.round(at[place].y) }]));
  rows(nodes.filter((node) => !linked.has(node.entity_id)), at, places);
  return places;
}

function rows(nodes, at, places) {
  const middle = at.length ? (Math.min(...at.map((one) => one.x)) + Math.max(...at.map((one) => one.x))) / 2 : 0;
  const width = Math.max(930, at.length ? Math.max(...at.map((one) => one.x)) - Math.min(...at.map((one) => one.x)) : 0);
  const columns = Math.floor(width / 155);
  const top = at.length ? Math.max(...at.map((one) => one.y)) + 130 : 0;
  nodes.forEach((node, place) => {
    const row = Math.floor(place / columns);
    const inRow = Math.min(columns, nodes.length - row * columns);
    places.set(node.entity_id, { x: Math.round(middle + ((place % columns) - (inRow - 1) / 2) * 155), y: Math.round(top + row * 84) });
  });
}

const LINK = 190;

function pull(one, two, share) {
  const [dx, dy] = [two.x - one.x, two.y - one.y];
  const far = Math.hypot(dx, dy) || 1;
  const step = ((far - LINK) / far) * share;
  one.x += dx * step;
  one.y += dy * step;
  two.x -= dx * step;
  two.y -= dy * step;
}

// All keep away from each other, and boxes of labels never overlap: two that do move along the axis that needs less.
function push(one, two, heat) {
  const dx = two.x - one.x || 0.01;
  const dy = two.y - one.y || 0.01;
  const far = Math.hypot(dx, dy);
  if (far < 2 * LINK) {
    const step = (900 * heat) / (far * far);
    one.x -= dx * step;
    one.y -= dy * step;
    two.x += dx * step;
    two.y += dy * step;
  }
  const x = one.half + two.half - Math.abs(dx);
  const y = 88 - Math.abs(dy);
  if (x <= 0 || y <= 0) return;
  if (x < y) {
    one.x -= (Math.sign(dx) * x) / 2;
    two.x += (Math.sign(dx) * x) / 2;
  } else {
    one.y -= (Math.sign(dy) * y) / 2;
    two.y += (Math.sign(dy) * y) / 2;
  }
}
