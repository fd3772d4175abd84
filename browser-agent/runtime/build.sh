#!/usr/bin/env bash
# runtime/build.sh FOLDER: builds the agent's runtime, runtime.wasm, and the part of it that packages have, package_runtime.wasm, when a source is newer.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$(realpath -m "$1")
out=$folder/runtime.wasm package_out=$folder/package_runtime.wasm
reference=$here/reference_kernel.cc
sources=("$reference" "$here"/exports.cc "$here"/tensor_check.cc "$here"/physical_walk.cc "$root"/base/hash.cc)
if [[ -f $out && -f $package_out && -z $(find "$here" "$root"/base -maxdepth 1 \( -name '*.cc' -o -name '*.h' -o -name '*.sh' \) -newer "$package_out" -print -quit) ]]; then
  exit 0
fi
if ! command -v em++ >/dev/null; then
  echo "runtime/build.sh: em++ is missing; run scripts/setup (apt-get install emscripten)" >&2
  exit 1
fi
mkdir -p "$folder"
# Debian's Emscripten looks for its JavaScript modules here, also when Node.js is not Debian's.
export NODE_PATH=/usr/share/nodejs
# What WebAssembly has no instruction for: kernels import these from env.
libm=_expf,_exp2f,_logf,_log2f,_tanhf,_erff,_sinf,_cosf,_powf,_fmodf,_roundf,_rintf,_fmaf
flags=(-std=c++20 -O3 -fno-exceptions -fno-rtti -I "$root" -sSTANDALONE_WASM --no-entry)
em++ "${flags[@]}" "${sources[@]}" -o "$out" -sALLOW_MEMORY_GROWTH -sMALLOC=emmalloc \
  -sEXPORTED_FUNCTIONS=_hone_view_valid,_hone_view_elements,_hone_fill,_hone_compare,_hone_poison_bits,_hone_reference,_malloc,_free,$libm
em++ "${flags[@]}" "$reference" -o "$package_out" -sEXPORTED_FUNCTIONS=_hone_reference,$libm
