@group(0) @binding(0) var<storage, read> A: array<vec4<f32>, 262144>;
@group(0) @binding(1) var<storage, read> B: array<vec4<f32>, 1024>;
@group(0) @binding(2) var<storage, read_write> C: array<f32, 256>;
var<workgroup> C_sum0: array<f32, 64>;
@compute @workgroup_size(64, 1, 1)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_id) lid: vec3<u32>, @builtin(local_invocation_index) lix: u32) {
  let bx = min(wid.x, 255u);
  let tx = lid.x;
  let i0 = ((bx * 1024u) + tx);
  let p3 = (tx < 32u);
  let p4 = (tx < 16u);
  let p5 = (tx < 8u);
  let p6 = (tx < 4u);
  let p7 = (tx < 2u);
  let p8 = (tx < 1u);
  var C_rf_rf: vec4<f32>;
  C_rf_rf = vec4<f32>(0f);
  for (var k_0 = 0u; k_0 < 16u; k_0++) {
    let i1 = ((k_0 * 64u) + i0);
    let i2 = ((k_0 * 64u) + tx);
    C_rf_rf = ((A[i1] * B[i2]) + C_rf_rf);
  }
  let C_rf = 0f;
  let C_rf_1 = (C_rf + C_rf_rf.x);
  let C_rf_2 = (C_rf_1 + C_rf_rf.y);
  let C_rf_3 = (C_rf_2 + C_rf_rf.z);
  let C_rf_4 = (C_rf_3 + C_rf_rf.w);
  C_sum0[tx] = C_rf_4;
  workgroupBarrier();
  if (p3) {
    C_sum0[tx] = (C_sum0[tx] + C_sum0[(tx + 32u)]);
  }
  workgroupBarrier();
  if (p4) {
    C_sum0[tx] = (C_sum0[tx] + C_sum0[(tx + 16u)]);
  }
  workgroupBarrier();
  if (p5) {
    C_sum0[tx] = (C_sum0[tx] + C_sum0[(tx + 8u)]);
  }
  workgroupBarrier();
  if (p6) {
    C_sum0[tx] = (C_sum0[tx] + C_sum0[(tx + 4u)]);
  }
  workgroupBarrier();
  if (p7) {
    C_sum0[tx] = (C_sum0[tx] + C_sum0[(tx + 2u)]);
  }
  workgroupBarrier();
  if (p8) {
    C_sum0[0u] = (C_sum0[0u] + C_sum0[1u]);
  }
  workgroupBarrier();
  if (p8) {
    C[bx] = C_sum0[0u];
  }
}
