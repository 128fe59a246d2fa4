// Directions from which to look, in axes with z up: robots look along x.
export const VIEWS = [
  { name: "iso", text: "Slanted", key: "4", from: [0.9, -1.35, 0.62] },
  { name: "front", text: "Front", key: "1", from: [1, 0, 0] },
  { name: "side", text: "Right side", key: "2", from: [0, -1, 0] },
  { name: "top", text: "Top", key: "3", from: [0, -1e-4, 1] },
  { name: "back", text: "Back", key: "5", from: [-1, 0, 0] },
  { name: "left", text: "Left side", key: "6", from: [0, 1, 0] },
];

export const viewNamed = (name) => VIEWS.find((view) => view.name === name);
