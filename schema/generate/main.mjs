// Writes every file that follows from schema/errors.json, schema/protocol.json, schema/manifest.json, schema/bench_report.json and schema/frames/*.json; with --check only compares.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cppDocumentHeader, cppDocumentSource, cppErrors, cppErrorTexts, cppHeader, cppSource } from "./cpp.mjs";
import { benchReportMarkdown, manifestMarkdown, markdown } from "./docs.mjs";
import { frameBytes } from "./frames.mjs";
import { loadModel } from "./model.mjs";
import { jsonSchema, openapi } from "./openapi.mjs";
import { loadRoutes, restHeader, restSource } from "./rest.mjs";
import { tsErrors, tsManifest, tsProtocol } from "./typescript.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const read = (path) => readFileSync(join(root, path), "utf8");

function outputs() {
  const errors = JSON.parse(read("schema/errors.json")).codes;
  const model = loadModel(JSON.parse(read("schema/protocol.json")), errors);
  const manifest = loadModel(JSON.parse(read("schema/manifest.json")), errors, model);
  const benchReport = loadModel(JSON.parse(read("schema/bench_report.json")), errors, model);
  const routes = loadRoutes(model);
  const openapiText = openapi(model, routes, errors);
  const checks = read("schema/generate/checks.ts");
  const files = new Map([
    ["schema/generated/error_code.h", cppErrors(errors)],
    ["schema/generated/error_text.h", cppErrorTexts(errors)],
    ["schema/generated/protocol.h", cppHeader(model)],
    ["schema/generated/protocol.cc", cppSource(model)],
    ["browser-runtime/src/generated/errors.ts", tsErrors(errors)],
    ["browser-agent/src/generated/protocol.ts", tsProtocol(model, checks + read("schema/generate/frames.ts"))],
    ["docs/protocol.md", markdown(model, errors)],
    ["schema/generated/rest_routes.h", restHeader()],
    ["schema/generated/rest_routes.cc", restSource(routes, errors, JSON.stringify(JSON.parse(openapiText)))],
    ["schema/openapi.json", openapiText],
    ["schema/generated/manifest.h", cppDocumentHeader(manifest, "manifest")],
    ["schema/generated/manifest.cc", cppDocumentSource(manifest, "manifest")],
    ["browser-runtime/src/generated/manifest.ts", tsManifest(manifest, checks)],
    ["docs/manifest.md", manifestMarkdown(manifest)],
    ["schema/generated/bench_report.h", cppDocumentHeader(benchReport, "bench_report")],
    ["schema/generated/bench_report.cc", cppDocumentSource(benchReport, "bench_report")],
    ["schema/bench_report.schema.json", jsonSchema(benchReport, errors)],
    ["docs/bench_report.md", benchReportMarkdown(benchReport)],
  ]);
  for (const name of readdirSync(join(root, "schema/frames")).filter((file) => file.endsWith(".json")))
    files.set(`schema/frames/${name.replace(/json$/, "bin")}`, frameBytes(JSON.parse(read(`schema/frames/${name}`))));
  return files;
}

function isStale(path, content) {
  try {
    return !readFileSync(join(root, path)).equals(Buffer.from(content));
  } catch {
    return true;
  }
}

const files = outputs();
const stale = [...files].filter(([path, content]) => isStale(path, content));
if (process.argv.includes("--check")) {
  for (const [path] of stale) console.error(`${path} is stale; run scripts/gen_schema and commit it`);
  process.exit(stale.length === 0 ? 0 : 1);
}
for (const [path, content] of stale) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
  console.error(`wrote ${path}`);
}
