// WebGPU's flag namespaces, which TypeScript's own library leaves out (it has the interfaces).
declare const GPUBufferUsage: {
  readonly MAP_READ: 0x1; readonly MAP_WRITE: 0x2; readonly COPY_SRC: 0x4; readonly COPY_DST: 0x8;
  readonly STORAGE: 0x80; readonly QUERY_RESOLVE: 0x200;
};
declare const GPUMapMode: { readonly READ: 0x1; readonly WRITE: 0x2 };
declare const GPUShaderStage: { readonly COMPUTE: 0x4 };
