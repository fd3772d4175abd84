// A module's bytes, which the build puts in (build.mjs: the loader 'binary').
declare module '*.wasm' {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
