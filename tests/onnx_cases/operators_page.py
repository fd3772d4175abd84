"""Writes docs/operators.md: hone's operators, beside what ONNX's own node cases say of each on every target.

Usage: operators_page.py CASES HONE PAGE
CASES: the folder of scripts/onnx_cases, with results/SUITE.TARGET.json of hone verify --json. HONE: the program. PAGE: the document.
"""
import json
import os
import subprocess
import sys

import onnx

SUITES = ("node", "microsoft")
TARGETS = ("native", "wasm", "webgpu", "webgl")
NAMES = {"native": "native code", "wasm": "WebAssembly", "webgpu": "WebGPU", "webgl": "WebGL 2"}
OTHERS = "Not known"

HEAD = """# Operators
Written by `scripts/gen_operators` from `hone operators` and from the results of `hone verify` on the node cases of the package onnx {version}, and on those that scripts/onnx_cases makes with ONNX Runtime ({cases} in all). A cell has how many of the cases
in which the operator occurs pass as kernels, views or control flow on the device, of how many there are. What of an operator is refused stands in [models.md](models.md).

"""


def operators_in(graph):
    """Every operator of a graph, also in its subgraphs."""
    names = set()
    for node in graph.node:
        names.add(node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}.{node.op_type}")
        for attribute in node.attribute:
            for sub in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                names |= operators_in(sub)
    return names


def cases_by_operator(folder, names):
    cases = {}
    for suite, name in names:
        model = onnx.load(os.path.join(folder, suite, name, "model.onnx"), load_external_data=False)
        for op in operators_in(model.graph):
            cases.setdefault(op, []).append((suite, name))
    return cases


def results_of(folder):
    results = {}
    for target in TARGETS:
        for suite in SUITES:
            path = os.path.join(folder, "results", f"{suite}.{target}.json")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    results.setdefault(target, {}).update({(suite, case["name"]): case["status"] for case in json.load(file)["cases"]})
    return results


def cell(statuses, cases):
    return f"{sum(statuses.get(case) == 'pass' for case in cases)} of {len(cases)}" if cases else "–"


def table(rows, cases, results):
    heads = ["operator", "opsets", "types of the first input", *(NAMES[target] for target in results)]
    lines = [heads, ["---"] * len(heads)]
    for op, opsets, types in rows:
        lines.append([op, opsets, types, *(cell(statuses, cases.get(op, [])) for statuses in results.values())])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main():
    folder, hone, page = sys.argv[1:]
    known = json.loads(subprocess.run([hone, "operators", "--json"], check=True, capture_output=True).stdout)["operators"]
    results = results_of(folder)
    if not results:
        sys.exit(f"gen_operators: {folder}/results has no SUITE.TARGET.json; run hone verify --json there first")
    names = sorted({name for statuses in results.values() for name in statuses})
    cases = cases_by_operator(folder, names)
    rows = [(o["op"], ", ".join(map(str, o["opsets"])) or "as published", o["types"]) for o in known]
    others = sorted(set(cases) - {o["op"] for o in known} - CONTROL)
    text = HEAD.format(version=onnx.__version__, cases=len(names)) + table(rows, cases, results)
    text += "\n## Written out while a model is read\nControl flow, sequences and optionals are gone when the model runs.\n\n" + table([(op, "as published", "") for op in sorted(CONTROL & set(cases))], cases, results)
    text += f"\n## {OTHERS}\nStrings, images, training, and what ONNX has as a preview: a model with one is refused in a sentence, unless nobody reads its results.\n\n"
    text += ", ".join(others) + ".\n"
    with open(page, "w", encoding="utf-8") as file:
        file.write(text)


CONTROL = {"Constant", "If", "Loop", "Scan", "SequenceMap", "SequenceConstruct", "SequenceEmpty", "SequenceAt", "SequenceInsert", "SequenceErase", "SequenceLength", "SplitToSequence",
           "ConcatFromSequence", "Optional", "OptionalGetElement", "OptionalHasElement"}

main()
