import assert from 'node:assert/strict';
import test from 'node:test';
import { fuse, fuseGelu, permuted } from './graph.js';

const node = (op, inputs, output, attributes = {}) => ({ op, inputs, outputs: [output], attributes });

test('an activation joins what comes before it, unless something else reads that, too', () => {
  // Given Conv, Relu and Add, Relu, when fused for Conv alone, then Add keeps its Relu; for both, each is one node with the name of its Relu's output.
  const nodes = () => [node('Conv', ['x', 'w'], 'a'), node('Relu', ['a'], 'b'), node('Add', ['b', 'b'], 'c'), node('Relu', ['c'], 'd')];
  assert.deepEqual(fuse({ nodes: nodes(), weights: {} }).map(({ op }) => op), ['Conv', 'Add', 'Relu']);
  assert.deepEqual(fuse({ nodes: nodes(), weights: {} }, ['Conv', 'Add']).map(({ op, activation, outputs }) => [op, activation, ...outputs]), [['Conv', 'relu', 'b'], ['Add', 'relu', 'd']]);
  const shared = [node('Conv', ['x', 'w'], 'a'), node('Relu', ['a'], 'b'), node('Add', ['a', 'b'], 'c')];
  assert.equal(fuse({ nodes: shared, weights: {} }).length, 3);
});

test('five nodes that say Gelu become one', () => {
  // Given x · (erf(x / √2) + 1) · ½ before another node, when fused, then Gelu reads x and gives what the last one gave; another chain stays.
  const chain = third => [node('Div', ['x', 'root'], 'a'), node('Erf', ['a'], 'b'), node('Add', ['b', 'one'], 'c'), node(third, ['x', 'c'], 'd'), node('Mul', ['d', 'half'], 'e'), node('Add', ['e', 'x'], 'f')];
  assert.deepEqual(fuseGelu(chain('Mul')).map(({ op, inputs, outputs }) => [op, inputs[0], outputs[0]]), [['Gelu', 'x', 'e'], ['Add', 'e', 'f']]);
  assert.equal(fuseGelu(chain('Sub')).length, 6);
});

test('axes are put in another order', () => {
  // Given an image of two channels, NCHW, when it becomes NHWC, then the channels of each point lie side by side; and back it is what it was.
  const { values, shape } = permuted(Float32Array.of(1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60), [1, 2, 2, 3], [0, 2, 3, 1]);
  assert.deepEqual([[...values], shape], [[1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60], [1, 2, 3, 2]]);
  assert.deepEqual([...permuted(values, shape, [0, 3, 1, 2]).values], [1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60]);
});
