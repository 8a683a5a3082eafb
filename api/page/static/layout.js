// Where nodes stand: computed at once, without a simulation that runs on. Positions are the same for the same graph.
const canvas = document.createElement("canvas").getContext("2d");
const LINE = 19;

export function labelWidth(text) {
  canvas.font = "600 14px system-ui, sans-serif";
  return Math.min(canvas.measureText(text).width, 170);
}

// A radial tree: each subtree gets a part of the circle by its leaves; rings as far apart as their nodes need.
export function radial(nodes) {
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
  return spread(nodes, angle, leaves.get(root.node_id));
}

function spread(nodes, angle, leaves) {
  const crowded = nodes.length > 150;
  const gap = Math.max(crowded ? 260 : 150, (leaves * (crowded ? 30 : 26)) / (2 * Math.PI * 1.5));
  for (let stretch = 1; ; stretch *= 1.08) {
    const places = new Map();
    for (const node of nodes) {
      const [start, span] = angle.get(node.node_id);
      const turn = start + span / 2;
      const radius = node.layer * gap * stretch * (1 - 0.04 * node.layer);
      places.set(node.node_id, { x: Math.round(radius * Math.cos(turn) * 1.25), y: Math.round(radius * Math.sin(turn)) });
    }
    if (crowded || stretch > 4 || !overlapping(nodes, places)) return places;
  }
}

function overlapping(nodes, places) {
  const boxes = nodes.map((node) => {
    const { x, y } = places.get(node.node_id ?? node.entity_id);
    const half = Math.max(labelWidth(node.name) / 2, 24) + 7;
    return [x - half, x + half, y - 30, y + 28 + LINE];
  });
  return boxes.some((one, place) =>
    boxes.slice(place + 1).some((two) => one[0] < two[1] && two[0] < one[1] && one[2] < two[3] && two[2] < one[3]),
  );
}

// Entities: linked ones near each other, all apart. A fixed number of steps, for at most some sixty.
export function forces(nodes, links) {
  const at = nodes.map((node, place) => {
    const turn = place * 2.39996;
    const far = 90 * Math.sqrt(place);
    return { x: far * Math.cos(turn), y: far * Math.sin(turn), half: labelWidth(node.name) / 2 + 16 };
  });
  const place = new Map(nodes.map((node, number) => [node.entity_id, number]));
  const pairs = links.map(([one, two]) => [at[place.get(one)], at[place.get(two)]]);
  for (let heat = 1; heat > 0; heat -= 0.004) {
    for (const [one, two] of pairs) pull(one, two, 0.05 * heat);
    for (const one of at) {
      one.x *= 1 - 0.006 * heat;
      one.y *= 1 - 0.01 * heat;
    }
    for (let i = 0; i < at.length; i++) for (let j = i + 1; j < at.length; j++) push(at[i], at[j]);
  }
  return new Map(nodes.map((node, number) => [node.entity_id, { x: Math.round(at[number].x), y: Math.round(at[number].y) }]));
}

function pull(one, two, share) {
  for (const axis of ["x", "y"]) {
    const step = (two[axis] - one[axis]) * share;
    one[axis] += step;
    two[axis] -= step;
  }
}

// Boxes of labels do not overlap: two that do are moved along the axis that needs less.
function push(one, two) {
  const dx = two.x - one.x || 0.01;
  const dy = two.y - one.y || 0.01;
  const x = one.half + two.half - Math.abs(dx);
  const y = 82 - Math.abs(dy);
  if (x <= 0 || y <= 0) return;
  if (x < y) {
    one.x -= (Math.sign(dx) * x) / 2;
    two.x += (Math.sign(dx) * x) / 2;
  } else {
    one.y -= (Math.sign(dy) * y) / 2;
    two.y += (Math.sign(dy) * y) / 2;
  }
}
