// Small helpers for elements.
export function element(tag, { text, html, on = {}, ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(name, value);
  }
  if (text !== undefined) made.textContent = text;
  if (html !== undefined) made.innerHTML = html; // only for icons of this page
  for (const [name, f] of Object.entries(on)) made.addEventListener(name, f);
  made.append(...children);
  return made;
}

const PATHS = {
  play: '<path d="M7 4.5v15l12-7.5z" fill="currentColor" stroke="none"/>',
  pause: '<path d="M7 5h3.4v14H7zM13.6 5H17v14h-3.4z" fill="currentColor" stroke="none"/>',
  reset: '<path d="M4 12a8 8 0 1 0 2.6-5.9"/><path d="M4 4v4.5h4.5"/>',
  home: '<path d="M4 11.5 12 5l8 6.5"/><path d="M6.5 10v9h11v-9"/>',
  dice: '<rect x="4.5" y="4.5" width="15" height="15" rx="3.5"/><path d="M9 9h.01M15 15h.01M12 12h.01M15 9h.01M9 15h.01" stroke-width="2.6"/>',
  copy: '<rect x="8.5" y="8.5" width="11" height="11" rx="2.5"/><path d="M15.5 8.5v-2a2 2 0 0 0-2-2h-7a2 2 0 0 0-2 2v7a2 2 0 0 0 2 2h2"/>',
  moon: '<path d="M19.5 14.2A8 8 0 0 1 9.8 4.5a8 8 0 1 0 9.7 9.7z"/>',
  sun: '<circle cx="12" cy="12" r="4"/><path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4"/>',
  undo: '<path d="M8.5 5 4.5 9l4 4"/><path d="M5 9h9a5.5 5.5 0 0 1 0 11h-3"/>',
  redo: '<path d="m15.5 5 4 4-4 4"/><path d="M19 9h-9a5.5 5.5 0 0 0 0 11h3"/>',
  close: '<path d="M6 6l12 12M18 6 6 18"/>',
  cube: '<path d="m12 3.5 7.5 4.2v8.6L12 20.5l-7.5-4.2V7.7z"/><path d="m4.5 7.7 7.5 4.2 7.5-4.2M12 11.9v8.6"/>',
  plot: '<path d="M4.5 4.5v15h15"/><path d="m8 14.5 3.2-4.3 3 2.6 4.3-6"/>',
  question: '<path d="M9 9.2a3 3 0 1 1 4.4 2.7c-.9.5-1.4 1.1-1.4 2.1"/><path d="M12 17.4h.01" stroke-width="2.4"/>',
  panel: '<rect x="4" y="5" width="16" height="14" rx="3"/><path d="M14.5 5v14"/>',
  camera: '<path d="M4.5 8.5h3l1.6-2.5h5.8l1.6 2.5h3v10h-15z"/><circle cx="12" cy="13" r="3.2"/>',
  frame: '<path d="M4 9V5.5A1.5 1.5 0 0 1 5.5 4H9M15 4h3.5A1.5 1.5 0 0 1 20 5.5V9M20 15v3.5a1.5 1.5 0 0 1-1.5 1.5H15M9 20H5.5A1.5 1.5 0 0 1 4 18.5V15"/>',
  loop: '<path d="M17 4l3 3-3 3"/><path d="M4 11V9.5A2.5 2.5 0 0 1 6.5 7H20M7 20l-3-3 3-3"/><path d="M20 13v1.5a2.5 2.5 0 0 1-2.5 2.5H4"/>',
};

export function icon(name) {
  return `<svg viewBox="0 0 24 24" width="18" height="18" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${PATHS[name]}</svg>`;
}

export function button(name, title, click, text) {
  const made = element("button", { type: "button", class: "icon", title, "aria-label": title, html: name ? icon(name) : "", on: { click } });
  if (text) made.append(text);
  return made;
}

export function setIcon(made, name) {
  if (made.dataset.icon === name) return;
  made.dataset.icon = name;
  made.innerHTML = icon(name);
}

export function section(title, open, ...children) {
  const details = element("details", { class: "section", open });
  details.append(element("summary", { text: title }), ...children);
  return details;
}
