@group(0) @binding(0) var<storage, read> A: array<f32, 92>;
@group(0) @binding(1) var<storage, read> B: array<vec4<f32>, 53>;
@group(0) @binding(2) var<storage, read_write> C: array<f32, 392>;
@compute @workgroup_size(2, 2, 1)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_id) lid: vec3<u32>, @builtin(local_invocation_index) lix: u32) {
  let bx = min(wid.x, 1u);
  let by = min(wid.y, 2u);
  let tx = lid.x;
  let ty = lid.y;
  let i0 = ((by * 42u) + (ty * 21u));
  let i1 = ((bx * 4u) + tx);
  let i2 = ((((bx * 16u) + (tx * 4u)) + (by * 180u)) + (ty * 90u));
  let i3 = ((by * 2u) + ty);
  let p4 = (i3 < 5u);
  let p5 = (i1 < 5u);
  let p6 = (p4 & p5);
  let p7 = (by < 2u);
  let p8 = (p7 & p5);
  var C_acc_0: vec4<f32>;
  var C_acc_1: vec4<f32>;
  var C_acc_2: vec4<f32>;
  var C_acc_3: vec4<f32>;
  var C_acc_4: vec4<f32>;
  var C_acc_5: vec4<f32>;
  C_acc_0 = vec4<f32>(0f);
  C_acc_1 = vec4<f32>(0f);
  C_acc_2 = vec4<f32>(0f);
  C_acc_3 = vec4<f32>(0f);
  C_acc_4 = vec4<f32>(0f);
  C_acc_5 = vec4<f32>(0f);
  let A_r_0 = vec4<f32>(A[i0], A[(i0 + 1u)], A[(i0 + 2u)], A[(i0 + 3u)]);
  let A_r_1 = vec4<f32>(A[(i0 + 7u)], A[(i0 + 8u)], A[(i0 + 9u)], A[(i0 + 10u)]);
  let A_r_2 = vec4<f32>(A[(i0 + 14u)], A[(i0 + 15u)], A[(i0 + 16u)], A[(i0 + 17u)]);
  let B_r_0 = B[i1];
  let B_r_1 = B[(i1 + 2u)];
  C_acc_0 = ((A_r_0.x * B_r_0) + C_acc_0);
  C_acc_1 = ((A_r_0.x * B_r_1) + C_acc_1);
  C_acc_2 = ((A_r_1.x * B_r_0) + C_acc_2);
  C_acc_3 = ((A_r_1.x * B_r_1) + C_acc_3);
  C_acc_4 = ((A_r_2.x * B_r_0) + C_acc_4);
  C_acc_5 = ((A_r_2.x * B_r_1) + C_acc_5);
  let t0 = B[(i1 + 7u)];
  let t1 = B[(i1 + 8u)];
  let B_r_0_1 = vec4<f32>(t0.z, t0.w, t1.x, t1.y);
  let t2 = B[(i1 + 9u)];
  let t3 = B[(i1 + 10u)];
  let B_r_1_1 = vec4<f32>(t2.z, t2.w, t3.x, t3.y);
  C_acc_0 = ((A_r_0.y * B_r_0_1) + C_acc_0);
  C_acc_1 = ((A_r_0.y * B_r_1_1) + C_acc_1);
  C_acc_2 = ((A_r_1.y * B_r_0_1) + C_acc_2);
  C_acc_3 = ((A_r_1.y * B_r_1_1) + C_acc_3);
  C_acc_4 = ((A_r_2.y * B_r_0_1) + C_acc_4);
  C_acc_5 = ((A_r_2.y * B_r_1_1) + C_acc_5);
  let B_r_0_2 = B[(i1 + 15u)];
  let B_r_1_2 = B[(i1 + 17u)];
  C_acc_0 = ((A_r_0.z * B_r_0_2) + C_acc_0);
  C_acc_1 = ((A_r_0.z * B_r_1_2) + C_acc_1);
  C_acc_2 = ((A_r_1.z * B_r_0_2) + C_acc_2);
  C_acc_3 = ((A_r_1.z * B_r_1_2) + C_acc_3);
  C_acc_4 = ((A_r_2.z * B_r_0_2) + C_acc_4);
  C_acc_5 = ((A_r_2.z * B_r_1_2) + C_acc_5);
  let t4 = B[(i1 + 22u)];
  let t5 = B[(i1 + 23u)];
  let B_r_0_3 = vec4<f32>(t4.z, t4.w, t5.x, t5.y);
  let t6 = B[(i1 + 24u)];
  let t7 = B[(i1 + 25u)];
  let B_r_1_3 = vec4<f32>(t6.z, t6.w, t7.x, t7.y);
  C_acc_0 = ((A_r_0.w * B_r_0_3) + C_acc_0);
  C_acc_1 = ((A_r_0.w * B_r_1_3) + C_acc_1);
  C_acc_2 = ((A_r_1.w * B_r_0_3) + C_acc_2);
  C_acc_3 = ((A_r_1.w * B_r_1_3) + C_acc_3);
  C_acc_4 = ((A_r_2.w * B_r_0_3) + C_acc_4);
  C_acc_5 = ((A_r_2.w * B_r_1_3) + C_acc_5);
  let A_r_0_1 = vec4<f32>(A[(i0 + 4u)], A[(i0 + 5u)], A[(i0 + 6u)], A[(i0 + 7u)]);
  let A_r_1_1 = vec4<f32>(A[(i0 + 11u)], A[(i0 + 12u)], A[(i0 + 13u)], A[(i0 + 14u)]);
  let A_r_2_1 = vec4<f32>(A[(i0 + 18u)], A[(i0 + 19u)], A[(i0 + 20u)], A[(i0 + 21u)]);
  let B_r_0_4 = B[(i1 + 30u)];
  let B_r_1_4 = B[(i1 + 32u)];
  C_acc_0 = ((A_r_0_1.x * B_r_0_4) + C_acc_0);
  C_acc_1 = ((A_r_0_1.x * B_r_1_4) + C_acc_1);
  C_acc_2 = ((A_r_1_1.x * B_r_0_4) + C_acc_2);
  C_acc_3 = ((A_r_1_1.x * B_r_1_4) + C_acc_3);
  C_acc_4 = ((A_r_2_1.x * B_r_0_4) + C_acc_4);
  C_acc_5 = ((A_r_2_1.x * B_r_1_4) + C_acc_5);
  let t8 = B[(i1 + 37u)];
  let t9 = B[(i1 + 38u)];
  let B_r_0_5 = vec4<f32>(t8.z, t8.w, t9.x, t9.y);
  let t10 = B[(i1 + 39u)];
  let t11 = B[(i1 + 40u)];
  let B_r_1_5 = vec4<f32>(t10.z, t10.w, t11.x, t11.y);
  C_acc_0 = ((A_r_0_1.y * B_r_0_5) + C_acc_0);
  C_acc_1 = ((A_r_0_1.y * B_r_1_5) + C_acc_1);
  C_acc_2 = ((A_r_1_1.y * B_r_0_5) + C_acc_2);
  C_acc_3 = ((A_r_1_1.y * B_r_1_5) + C_acc_3);
  C_acc_4 = ((A_r_2_1.y * B_r_0_5) + C_acc_4);
  C_acc_5 = ((A_r_2_1.y * B_r_1_5) + C_acc_5);
  let B_r_0_6 = B[(i1 + 45u)];
  let B_r_1_6 = B[(i1 + 47u)];
  C_acc_0 = ((A_r_0_1.z * B_r_0_6) + C_acc_0);
  C_acc_1 = ((A_r_0_1.z * B_r_1_6) + C_acc_1);
  C_acc_2 = ((A_r_1_1.z * B_r_0_6) + C_acc_2);
  C_acc_3 = ((A_r_1_1.z * B_r_1_6) + C_acc_3);
  C_acc_4 = ((A_r_2_1.z * B_r_0_6) + C_acc_4);
  C_acc_5 = ((A_r_2_1.z * B_r_1_6) + C_acc_5);
  let t12 = B[(i1 + 52u)];
  let t13 = B[(i1 + 53u)];
  let B_r_0_7 = vec4<f32>(t12.z, t12.w, t13.x, t13.y);
  let t14 = B[(i1 + 54u)];
  let t15 = B[(i1 + 55u)];
  let B_r_1_7 = vec4<f32>(t14.z, t14.w, t15.x, t15.y);
  if (p4) {
    C[i2] = C_acc_0.x;
    C[(i2 + 1u)] = C_acc_0.y;
    C[(i2 + 2u)] = C_acc_0.z;
    C[(i2 + 3u)] = C_acc_0.w;
    C[(i2 + 8u)] = C_acc_1.x;
    C[(i2 + 9u)] = C_acc_1.y;
  }
  if (p6) {
    C[(i2 + 10u)] = C_acc_1.z;
    C[(i2 + 11u)] = C_acc_1.w;
  }
  if (p7) {
    C[(i2 + 30u)] = C_acc_2.x;
    C[(i2 + 31u)] = C_acc_2.y;
    C[(i2 + 32u)] = C_acc_2.z;
    C[(i2 + 33u)] = C_acc_2.w;
    C[(i2 + 38u)] = C_acc_3.x;
    C[(i2 + 39u)] = C_acc_3.y;
  }
  if (p8) {
    C[(i2 + 40u)] = C_acc_3.z;
    C[(i2 + 41u)] = C_acc_3.w;
  }
  if (p7) {
    C[(i2 + 60u)] = C_acc_4.x;
    C[(i2 + 61u)] = C_acc_4.y;
    C[(i2 + 62u)] = C_acc_4.z;
    C[(i2 + 63u)] = C_acc_4.w;
    C[(i2 + 68u)] = C_acc_5.x;
    C[(i2 + 69u)] = C_acc_5.y;
  }
  if (p8) {
    C[(i2 + 70u)] = C_acc_5.z;
    C[(i2 + 71u)] = C_acc_5.w;
  }
}
