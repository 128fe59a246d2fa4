// What the address of a page may ask for: page.html#panel=0&theme=dark&view=front
import { VIEWS } from "./views.js";

const flag = (text) => (["1", "true", "on", ""].includes(text) ? true : ["0", "false", "off"].includes(text) ? false : undefined);
const list = (text) => text.split(",").map((x) => x.trim()).filter(Boolean);
const one = (names) => (text) => (names.includes(text) ? text : undefined);
const number = (text) => (text !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined);

const READ = {
  panel: flag,
  bar: flag,
  tools: flag,
  plots: flag,
  play: flag,
  time: number,
  theme: one(["light", "dark"]),
  view: one(VIEWS.map(({ name }) => name)),
  show: list,
  hide: list,
};

// Options of an address, and what was not understood, in words.
export function fromAddress({ search = "", hash = "" }) {
  const options = {};
  const unknown = [];
  for (const part of [search, hash])
    for (const [name, text] of new URLSearchParams(part.replace(/^[#?]/, ""))) {
      const value = READ[name]?.(text);
      if (value === undefined) unknown.push(text ? `${name}=${text}` : name);
      else options[name] = value;
    }
  const note = unknown.length ? `the address asks for ${unknown.join(", ")}; options are ${Object.keys(READ).join(", ")}` : "";
  return { options, note };
}
