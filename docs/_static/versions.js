/* The list of versions in the sidebar: of versions.json beside the folder of this version, or of versions.js there where
   a browser fetches nothing (pages that are opened as files). Without either the list stays hidden. */
(() => {
  const place = document.querySelector("details.versions");
  if (!place) return;
  const here = new URL(place.dataset.root, location.href), all = new URL("..", here);
  const name = decodeURIComponent(here.pathname.split("/").at(-2) ?? "");
  const show = (versions) => {
    if (!versions?.some((version) => version.name === name)) return;
    place.querySelector("b").textContent = name;
    for (const version of versions) {
      const link = document.createElement("a");
      link.href = new URL(version.url, all).href;
      link.textContent = version.name + (version.stable ? " (stable)" : "");
      if (version.name === name) link.setAttribute("aria-current", "true");
      const row = document.createElement("li");
      row.append(link);
      place.querySelector("ul").append(row);
    }
    place.hidden = false;
  };
  const byScript = () => {
    const script = document.createElement("script");
    script.src = new URL("versions.js", all).href;
    script.onload = () => show(window.kinetraceVersions);
    document.head.append(script);
  };
  if (location.protocol === "file:") byScript();
  else fetch(new URL("versions.json", all)).then((answer) => answer.json()).then(show).catch(byScript);
})();
