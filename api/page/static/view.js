// What is loaded and shown; the modules of the page share it.
export const MOST_ENTITIES = 32; // in the picture
export const MOST_RELATIONS = 500;
export const MOST_TOGETHER = 500;
export const LINES_TOGETHER = 2; // of one entity: the strongest
export const NONE = { anchors: new Set(), hits: new Map(), ways: new Set() };
export const view = {
  home: "", tab: "nodes", nodes: [], edges: [], timeline: [], branches: new Map(), entities: [], relations: [], together: [],
  selected: null, asked: "", answer: null, touch: NONE, entityNames: new Set(), load: 0, searches: 0,
  open: {}, // shows a node, a record or an entity
};
