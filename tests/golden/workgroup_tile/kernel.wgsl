@group(0) @binding(0) var<storage, read> A: array<f32, 262144>;
@group(0) @binding(1) var<storage, read> B: array<vec4<f32>, 65536>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f32>, 65536>;
var<workgroup> A_w: array<f32, 512>;
var<workgroup> B_w: array<vec4<f32>, 128>;
@compute @workgroup_size(8, 8, 1)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_id) lid: vec3<u32>, @builtin(local_invocation_index) lix: u32) {
  let bx = min(wid.x, 15u);
  let by = min(wid.y, 15u);
  let tx = lid.x;
  let ty = lid.y;
  let tid = lix;
  let i0 = (tid / 16u);
  let i1 = (tid % 16u);
  let i2 = (((by * 16384u) + (i0 * 512u)) + i1);
  let i6 = (tid / 8u);
  let i7 = (tid % 8u);
  let i8 = (((bx * 8u) + (i6 * 128u)) + i7);
  let i12 = (ty * 64u);
  let i15 = ((((bx * 8u) + tx) + (by * 4096u)) + (ty * 512u));
  var C_acc_0: vec4<f32>;
  var C_acc_1: vec4<f32>;
  var C_acc_2: vec4<f32>;
  var C_acc_3: vec4<f32>;
  C_acc_0 = vec4<f32>(0f);
  C_acc_1 = vec4<f32>(0f);
  C_acc_2 = vec4<f32>(0f);
  C_acc_3 = vec4<f32>(0f);
  for (var k_0 = 0u; k_0 < 32u; k_0++) {
    let i3 = ((k_0 * 16u) + i2);
    let i9 = ((k_0 * 2048u) + i8);
    for (var t_0 = 0u; t_0 < 8u; t_0++) {
      let i4 = ((t_0 * 2048u) + i3);
      let i5 = ((t_0 * 64u) + tid);
      A_w[i5] = A[i4];
    }
    for (var t_0_1 = 0u; t_0_1 < 2u; t_0_1++) {
      let i10 = ((t_0_1 * 1024u) + i9);
      let i11 = ((t_0_1 * 64u) + tid);
      B_w[i11] = B[i10];
    }
    workgroupBarrier();
    for (var k_1 = 0u; k_1 < 16u; k_1++) {
      let i13 = (k_1 + i12);
      let i14 = ((k_1 * 8u) + tx);
      let A_r_0 = A_w[i13];
      let A_r_1 = A_w[(i13 + 16u)];
      let A_r_2 = A_w[(i13 + 32u)];
      let A_r_3 = A_w[(i13 + 48u)];
      let B_r = B_w[i14];
      C_acc_0 = ((A_r_0 * B_r) + C_acc_0);
      C_acc_1 = ((A_r_1 * B_r) + C_acc_1);
      C_acc_2 = ((A_r_2 * B_r) + C_acc_2);
      C_acc_3 = ((A_r_3 * B_r) + C_acc_3);
    }
    workgroupBarrier();
  }
  C[i15] = C_acc_0;
  C[(i15 + 128u)] = C_acc_1;
  C[(i15 + 256u)] = C_acc_2;
  C[(i15 + 384u)] = C_acc_3;
}
