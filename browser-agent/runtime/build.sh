#!/usr/bin/env bash
# runtime/build.sh OUT.wasm: builds the agent's runtime when a source is newer than OUT.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
out=$(realpath -m "$1")
sources=("$here"/exports.cc "$here"/tensor_check.cc "$here"/physical_walk.cc "$root"/base/hash.cc)
if [[ -f $out && -z $(find "$here" "$root"/base -maxdepth 1 \( -name '*.cc' -o -name '*.h' -o -name '*.sh' \) -newer "$out" -print -quit) ]]; then
  exit 0
fi
if ! command -v em++ >/dev/null; then
  echo "runtime/build.sh: em++ is missing; run scripts/setup (apt-get install emscripten)" >&2
  exit 1
fi
mkdir -p "$(dirname "$out")"
# Debian's Emscripten looks for its JavaScript modules here, also when Node.js is not Debian's.
export NODE_PATH=/usr/share/nodejs
# What WebAssembly has no instruction for: kernels import these from env.
libm=_expf,_exp2f,_logf,_log2f,_tanhf,_erff,_sinf,_cosf,_powf,_fmodf,_roundf,_rintf,_fmaf
em++ -std=c++20 -O3 -fno-exceptions -fno-rtti -I "$root" "${sources[@]}" -o "$out" \
  -sSTANDALONE_WASM --no-entry -sALLOW_MEMORY_GROWTH -sMALLOC=emmalloc \
  -sEXPORTED_FUNCTIONS=_hone_view_valid,_hone_view_elements,_hone_fill,_hone_compare,_hone_poison_bits,_hone_reference,_malloc,_free,$libm
