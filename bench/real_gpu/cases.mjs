// What scripts/real_gpu tunes, times and compares: products of matrices, ResNet-18's convolutions, operators that memory binds, and two whole models.
import { MODELS, OPERATORS, matmul } from '../peers/works.mjs';

const GREAT = matmul(4096);   // fills any GPU of today
const named = names => names.map(name => [...OPERATORS, GREAT, ...MODELS].find(work => work.name === name));

export const FULL = named(['matmul_1024', GREAT.name, 'conv_stem_7x7s2', 'conv_56_64_3x3', 'conv_28_128_3x3', 'conv_28_128to256_s2', 'conv_14_256_3x3', 'conv_7_512_3x3',
  'softmax_1536x128', 'softmax_64x4096', 'layernorm_512x768', 'resnet18', 'encoder']);
export const QUICK = named(['matmul_256', 'softmax_1536x128']);
