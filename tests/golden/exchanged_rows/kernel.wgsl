enable subgroups;
@group(0) @binding(0) var<storage, read> A: array<vec4<f32>, 262144>;
@group(0) @binding(1) var<storage, read> B: array<vec4<f32>, 1024>;
@group(0) @binding(2) var<storage, read_write> C: array<f32, 256>;
var<workgroup> C_groups0: array<f32, 2>;
@compute @workgroup_size(64, 1, 1)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_id) lid: vec3<u32>, @builtin(local_invocation_index) lix: u32) {
  let bx = min(wid.x, 255u);
  let tx = lid.x;
  let i0 = ((bx * 1024u) + tx);
  let i3 = (tx / 32u);
  let i4 = (tx % 32u);
  let p5 = (i4 == 0u);
  let i6 = (tx % 2u);
  let p7 = (tx < 1u);
  var C_rf_rf: vec4<f32>;
  var C_sum0: f32;
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
  C_sum0 = C_rf_4;
  let other0 = subgroupShuffleXor(C_sum0, 1u);
  C_sum0 = (C_sum0 + other0);
  let other0_1 = subgroupShuffleXor(C_sum0, 2u);
  C_sum0 = (C_sum0 + other0_1);
  let other0_2 = subgroupShuffleXor(C_sum0, 4u);
  C_sum0 = (C_sum0 + other0_2);
  let other0_3 = subgroupShuffleXor(C_sum0, 8u);
  C_sum0 = (C_sum0 + other0_3);
  let other0_4 = subgroupShuffleXor(C_sum0, 16u);
  C_sum0 = (C_sum0 + other0_4);
  if (p5) {
    C_groups0[i3] = C_sum0;
  }
  workgroupBarrier();
  C_sum0 = C_groups0[i6];
  let other0_5 = subgroupShuffleXor(C_sum0, 1u);
  C_sum0 = (C_sum0 + other0_5);
  if (p7) {
    C[bx] = C_sum0;
  }
}
