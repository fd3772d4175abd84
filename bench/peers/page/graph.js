// A graph as graph_json.py writes it, made ready for frameworks that lay images out as NHWC: what their converters fuse is one node.
const ACTIVATIONS = { Relu: 'relu', Clip: 'relu6' };

const usersOf = nodes => {
  const users = {};
  for (const node of nodes) for (const name of node.inputs) (users[name] ??= []).push(node);
  return users;
};

// An activation joins the node before it, where that is one of `activated`, and a bias its product.
export function fuse({ nodes, weights }, activated = ['Conv']) {
  const users = usersOf(nodes), gone = new Set();
  for (const node of nodes) {
    const [next, ...more] = users[node.outputs[0]] ?? [];
    if (!next || more.length > 0) continue;
    const activation = ACTIVATIONS[next.op], bias = next.inputs.find(name => name !== node.outputs[0]);
    if (activated.includes(node.op) && activation) Object.assign(node, { activation });
    else if (node.op === 'MatMul' && next.op === 'Add' && weights[bias]?.shape.length === 1) Object.assign(node, { bias });
    else continue;
    node.outputs = next.outputs;
    gone.add(next);
  }
  return nodes.filter(node => !gone.has(node));
}

// x · (erf(x / √2) + 1) · ½, in five nodes, becomes one: Gelu.
export function fuseGelu(nodes) {
  const users = usersOf(nodes), gone = new Set();
  for (const erf of nodes.filter(({ op }) => op === 'Erf')) {
    const scaled = nodes.find(({ outputs }) => outputs[0] === erf.inputs[0]), chain = [erf];
    while (chain.length < 4) chain.push(users[chain.at(-1).outputs[0]][0]);
    if ([scaled, ...chain].map(({ op }) => op).join() !== 'Div,Erf,Add,Mul,Mul') continue;
    Object.assign(chain.at(-1), { op: 'Gelu', inputs: [scaled.inputs[0]] });
    for (const node of [scaled, ...chain.slice(0, -1)]) gone.add(node);
  }
  return nodes.filter(node => !gone.has(node));
}

export const isDepthwise = node => node.op === 'Conv' && node.attributes.group > 1;

// Values in another order of their axes: axis i of the result is axis order[i] of what is given.
export function permuted(values, shape, order) {
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1)), to = order.map(axis => shape[axis]);
  const result = new values.constructor(values.length), index = to.map(() => 0);
  for (let i = 0, from = 0; i < result.length; i++) {
    result[i] = values[from];
    for (let axis = to.length - 1; axis >= 0; axis--) {
      from += strides[order[axis]];
      if (++index[axis] < to[axis]) break;
      from -= to[axis] * strides[order[axis]];
      index[axis] = 0;
    }
  }
  return { values: result, shape: to };
}
