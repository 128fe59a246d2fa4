// Entry: reads the scene and the programs of the page, and shows them.
import { App } from "./app.js";

async function main() {
  const root = document.getElementById("kinetrace");
  try {
    const scene = JSON.parse(document.getElementById("kinetrace-scene").textContent);
    const app = new App(root, scene, window.kinetracePrograms);
    window.kinetrace = app;
    await app.start();
    root.dataset.ready = "true";
  } catch (error) {
    const note = document.createElement("div");
    note.className = "failure";
    note.textContent = /WebGL/i.test(error.message) ? "This browser has no WebGL, which the viewer needs." : `The robot could not be shown: ${error.message}`;
    root.append(note);
    root.dataset.ready = "failed";
    console.error(error);
  }
}

main();
