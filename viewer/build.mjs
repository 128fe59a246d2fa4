// Bundle the page of the viewer into the package. Each file begins with a digest of its sources, which a test compares.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { build } from "esbuild";

const sources = ["package-lock.json", "package.json", "build.mjs", ...readdirSync("src").map((name) => `src/${name}`)].sort();
const digest = createHash("sha256");
for (const name of sources) digest.update(`${name}\n${readFileSync(name, "utf8").replaceAll("\r\n", "\n")}\n`);
const banner = `/* built by make viewer from sources with sha256 ${digest.digest("hex")} */`;

await build({
  entryPoints: { viewer: "src/main.js", style: "src/style.css" },
  outdir: "../src/kinetrace/view/assets",
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  banner: { js: banner, css: banner },
});
