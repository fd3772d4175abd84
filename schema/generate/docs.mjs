// docs/protocol.md and docs/manifest.md from the model.
const cell = (text) => text.replaceAll("|", "\\|");

function fieldTable(fields) {
  if (fields.length === 0) return "No fields.\n";
  const rows = fields.map((f) => {
    const limits = [f.typeText.includes("string") ? `≤ ${f.stringMax} bytes` : "", /^(list|map)/.test(f.typeText) ? `≤ ${f.countMax} items` : "",
      f.low !== undefined ? `${f.low} to ${f.high}` : ""];
    return `| ${f.id || ""} | \`${f.name}\`${f.optional ? " (optional)" : ""} | ${f.typeText} | ${f.unit} | ${limits.filter(Boolean).join(", ")} | ${cell(f.text)} |`;
  });
  return `| id | field | type | unit | limit | meaning |\n|---|---|---|---|---|---|\n${rows.join("\n")}\n`;
}

function messageSection(m) {
  const facts = [m.socket === "any" ? "any socket, either side" : `${m.from} → ${m.to}`, `at most ${m.bytes_max} bytes`, `since version ${m.since}`];
  if (m.reply) facts.push(`answered by \`${m.reply}\``);
  if (m.payload) facts.push(`payload: ${m.payload}`);
  if (m.http) facts.push(`REST: \`${m.http.route}\``);
  if (m.errors.length) facts.push(`errors: ${m.errors.map((e) => `\`${e}\``).join(", ")}`);
  return `### ${m.id}. \`${m.name}\`\n${cell(m.text)}\n\n*${facts.join("; ")}*\n\n${fieldTable(m.fields)}`;
}

function socketSection(model, socket, title) {
  return `## ${title}\n${model.messages.filter((m) => m.socket === socket).map(messageSection).join("\n")}`;
}

const sharedText = (s) => `${s.comment} ${s.messages.map((m) => `\`${m}\``).join(", ")}.`;
const structures = (model) => `## Structures
${model.structs.map((s) => `### \`${s.name}\`\n${cell(s.text)}\n\n${fieldTable(s.fields)}`).join("\n")}`;
const enumerations = (model) => `## Enumerations
${model.enums.map((e) => `### \`${e.name}\`\n${e.text}\n\n${e.values.map((v) => `- \`${v.name}\`: ${v.text}`).join("\n")}\n`).join("\n")}`;
const limitTable = (model) => `| limit | value | of |
|---|---|---|
${model.limits.map((l) => `| \`${l.name}\` | ${l.value} ${l.unit} | ${l.text} |`).join("\n")}`;

export function manifestMarkdown(model) {
  return `<!-- Generated from schema/manifest.json by scripts/gen_schema. Do not edit. -->
# The files of a package, ${model.protocol} version ${model.version}

\`hone export\` writes a folder ([packages.md](packages.md)) that is read from \`manifest.json\`, a \`manifest\`; each of its plans has a file with a \`plan_file\`.
Both are JSON. Everything else is named by its content: \`NAME-<8 digits of its sha256>.EXTENSION\`. Types are those of the [protocol](protocol.md), and so are
${model.used.map((s) => `\`${s.name}\``).join(" and ")}.

${limitTable(model)}

${structures(model)}
${enumerations(model)}`;
}

export function benchReportMarkdown(model) {
  return `<!-- Generated from schema/bench_report.json by scripts/gen_schema. Do not edit. -->
# The report of a benchmark, ${model.protocol} version ${model.version}

\`hone bench --report json=FILE\` writes a \`bench_report\` as JSON; all other reports are made of it. Types are those of the [protocol](protocol.md).
\`schema/bench_report.schema.json\` is the same as a JSON Schema. [measurement.md](measurement.md) says what its numbers mean.

${limitTable(model)}

${structures(model)}
${enumerations(model)}`;
}

export function markdown(model, errors) {
  return `<!-- Generated from schema/protocol.json and schema/errors.json by scripts/gen_schema. Do not edit. -->
# The protocol ${model.protocol}, version ${model.version}

Binary WebSocket messages with the subprotocol \`${model.protocol}\`. A frame is

| offset | size | content |
|---|---|---|
| 0 | 4 | n, the length of the header in bytes, u32 little-endian |
| 4 | n | the header: one JSON object in UTF-8 with a \`kind\` |
| 4 + n | the rest | the payload: bytes whose meaning follows from the kind; usually none |

A request carries \`id\`, its reply \`reply_to\`; several requests may be in flight. Unknown fields are ignored, unknown kinds refused.
Types: \`u32\`, \`u53\`, \`i53\`: whole numbers (up to 2^53 − 1 in size); \`u64\`: 16 lower-case hexadecimal digits in a string; \`f64\`: a finite number
(what is not finite is sent as ±1e308); \`outcome\`: a name of the error table below; \`json\`: any JSON value; \`list<T>\`, \`map<T>\` (an object), \`array<T,n>\` (exactly n).

One port serves everything: \`GET /\` the agent's page and its files, \`GET /blob/<sha256>\` immutable bytes (needs the header \`X-Hone-Token\` with a token of the role agent or admin),
WebSockets at \`/ws/agent\` (control), \`/ws/session\` and \`/ws/client\`; where tracker and compile servers are processes of their own ([processes.md](processes.md)), also at \`/ws/server\` and \`/ws/relay\`.
Messages of \`/ws/client\` are requests below \`/api/v1\`, too ([rest.md](rest.md)). Origin and Host are checked on each of them; see \`security.md\`.

${limitTable(model)}

${socketSection(model, "control", "Control socket: agent and tracker, `/ws/agent`")}
${socketSection(model, "session", "Session socket: agent and compile server, `/ws/session`")}
${socketSection(model, "client", "Client socket: command line and service, `/ws/client`")}
${socketSection(model, "server", "Server socket: compile server and tracker, `/ws/server`")}
${model.shared.map(sharedText).join("\n")}

${socketSection(model, "relay", "Relay socket: compile server and tracker, `/ws/relay`, which agents open as a session socket")}
${socketSection(model, "any", "Every socket")}
${structures(model)}
${enumerations(model)}
## Errors and outcomes
| number | name | meaning |
|---|---|---|
${errors.map((e) => `| ${e.id} | \`${e.name}\` | ${e.text} |`).join("\n")}
`;
}
