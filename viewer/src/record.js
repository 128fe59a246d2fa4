// Pictures and films of the canvas, and the page itself as a file.
import { GIFEncoder, applyPalette, quantize } from "gifenc";
import * as T from "three";
import { fromBase64 } from "./packed.js";

export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export class Recorder {
  constructor(app) {
    this.app = app;
  }

  // Render at a size of its own, without panels over it, until `end`; the page itself stands still.
  begin(width, height) {
    const { stage } = this.app;
    const { renderer, camera } = stage;
    this.before ??= { covered: stage.covered, ratio: renderer.getPixelRatio() };
    stage.held = true;
    renderer.setPixelRatio(1);
    renderer.setSize(width, height, false);
    camera.aspect = width / height;
    camera.clearViewOffset();
    camera.updateProjectionMatrix();
  }

  end() {
    const { stage } = this.app;
    stage.held = false;
    stage.covered = this.before.covered;
    stage.renderer.setPixelRatio(this.before.ratio);
    this.before = null;
    stage.resize();
  }

  // A PNG as a data URL.
  picture() {
    this.app.stage.render();
    return this.app.stage.canvas.toDataURL("image/png");
  }

  png() {
    this.begin(...this.app.stage.size.map((x) => 2 * x));
    const url = this.picture();
    this.end();
    download(blobOf(url), `${this.app.title}.png`);
  }

  // Moments of a film: of a motion, or of a simulation that goes on, or of a turn around the robot.
  *moments(rate) {
    const { app } = this;
    if (app.mode === "motion" && app.player) {
      const { begin, end, speed } = app.player;
      const n = Math.max(1, Math.min(600, Math.round(((end - begin) / speed) * rate)));
      for (let k = 0; k < n; k++) {
        app.player.go(begin + (k * (end - begin)) / n);
        yield k / n;
      }
    } else if (app.mode === "simulate") {
      const n = 4 * rate;
      for (let k = 0; k < n; k++) {
        const steps = Math.round(app.simulation.speed / rate / app.simulation.dt);
        for (let s = 0; s < steps && app.simulation.step(); s++);
        app.robots.forEach((robot) => robot.update());
        yield k / n;
      }
    } else {
      const { camera, controls, up } = app.stage;
      const from = camera.position.clone();
      const n = 4 * rate;
      for (let k = 0; k < n; k++) {
        const turn = new T.Quaternion().setFromAxisAngle(up, (2 * Math.PI * k) / n);
        camera.position.copy(from).sub(controls.target).applyQuaternion(turn).add(controls.target);
        camera.lookAt(controls.target);
        yield k / n;
      }
      camera.position.copy(from);
      camera.lookAt(controls.target);
    }
  }

  async gif(rate = 25) {
    const { app } = this;
    const [w, h] = app.stage.size;
    const scale = Math.min(1, 640 / w);
    const [width, height] = [Math.round(w * scale), Math.round(h * scale)];
    const sheet = document.createElement("canvas");
    Object.assign(sheet, { width, height });
    const c = sheet.getContext("2d", { willReadFrequently: true });
    const encoder = GIFEncoder();
    let palette = null;
    await app.busy(async (tell) => {
      this.begin(width, height);
      for (const part of this.moments(rate)) {
        app.stage.render();
        c.drawImage(app.stage.canvas, 0, 0, width, height);
        const { data } = c.getImageData(0, 0, width, height);
        palette ??= quantize(data, 256);
        encoder.writeFrame(applyPalette(data, palette), width, height, { palette, delay: 1000 / rate });
        tell(`GIF ${Math.round(100 * part)} %`);
        await new Promise((resolve) => setTimeout(resolve));
      }
      this.end();
      encoder.finish();
      download(new Blob([encoder.bytes()], { type: "image/gif" }), `${app.title}.gif`);
    });
  }

  // By the browser's own encoder, in real time: MP4 if it has it, else WebM.
  async film(rate = 30) {
    const { app } = this;
    const type = ["video/mp4;codecs=avc1.640028", "video/mp4", "video/webm;codecs=vp9", "video/webm"].find((t) => window.MediaRecorder?.isTypeSupported(t));
    if (!type) return app.say("This browser cannot record films; GIF works.");
    const stream = app.stage.canvas.captureStream(rate);
    const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 12e6 });
    const parts = [];
    recorder.ondataavailable = (e) => parts.push(e.data);
    const ended = new Promise((resolve) => (recorder.onstop = resolve));
    return app.busy(async (tell) => {
      this.begin(...app.stage.size.map((x) => x - (x % 2)));
      recorder.start();
      const began = performance.now();
      let k = 0;
      for (const part of this.moments(rate)) {
        app.stage.render();
        tell(`Film ${Math.round(100 * part)} %`);
        k += 1;
        await new Promise((resolve) => requestAnimationFrame(resolve)); // the stream takes what the browser shows
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, began + (1000 * k) / rate - performance.now())));
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
      recorder.stop();
      await ended;
      this.end();
      download(new Blob(parts, { type }), `${app.title}.${type.includes("mp4") ? "mp4" : "webm"}`);
    });
  }

  // This page, as it is now: configuration, what is shown, theme and camera.
  page() {
    const scene = JSON.parse(document.getElementById("kinetrace-scene").textContent);
    scene.robots.forEach((data, i) => (data.q = [...this.app.robots[i].q]));
    Object.assign(scene.options, this.app.options());
    const copy = document.documentElement.cloneNode(true);
    const root = copy.querySelector("#kinetrace");
    root.replaceWith(Object.assign(document.createElement("div"), { id: root.id })); // as it was before the viewer began
    copy.querySelector("#kinetrace-scene").textContent = JSON.stringify(scene).replaceAll("<", "\\u003c");
    return `<!doctype html>\n${copy.outerHTML}\n`;
  }

  html() {
    download(new Blob([this.page()], { type: "text/html" }), `${this.app.title}.html`);
  }
}

// The blob of a data URL, without a request.
function blobOf(url) {
  return new Blob([fromBase64(url.split(",")[1])], { type: "image/png" });
}
