// What a GPU's backend lacks here, by name: whoever wants to help has a remedy for each.
export type Lack = 'secure_context' | 'webgpu' | 'adapter' | 'device' | 'answer' | 'canvas' | 'webgl_context' | 'float_targets';
