#!/usr/bin/env bash
# runtime/build.sh FOLDER: builds the agent's runtime, runtime.wasm, the part of it that packages have, package_runtime.wasm, and a kernel of theirs,
# copy_rows.wasm, when a source is newer.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$(realpath -m "$1")
out=$folder/runtime.wasm package_out=$folder/package_runtime.wasm copy_out=$folder/copy_rows.wasm
reference=$here/reference_kernel.cc
angle=$here/reduce_angle.cc
sources=("$reference" "$angle" "$here"/exports.cc "$here"/tensor_check.cc "$here"/physical_walk.cc "$root"/base/hash.cc)
if [[ -f $out && -f $package_out && -f $copy_out && -z $(find "$here" "$root"/base -maxdepth 1 \( -name '*.cc' -o -name '*.h' -o -name '*.sh' \) -newer "$copy_out" -print -quit) ]]; then
  exit 0
fi
if ! command -v em++ >/dev/null || ! command -v clang-14 >/dev/null; then
  echo "runtime/build.sh: em++ or clang-14 is missing; run scripts/setup (apt-get install emscripten clang-14)" >&2
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
em++ "${flags[@]}" "$reference" "$angle" -o "$package_out" -sEXPORTED_FUNCTIONS=_hone_reference,$libm
# A module like those that hone emits: no stack and no data, on the memory that it imports. Linked apart, because clang asks wasm-opt where it optimises, which knows no SIMD unasked.
object=$(mktemp)
trap 'rm -f "$object"' EXIT
clang-14 --target=wasm32 -std=c++20 -Os -msimd128 -ffreestanding -fno-exceptions -fno-rtti -c -o "$object" "$here/copy_rows.cc"
clang-14 --target=wasm32 -nostdlib -Wl,--no-entry,--import-memory,--strip-all,-z,stack-size=0 -o "$copy_out" "$object"
