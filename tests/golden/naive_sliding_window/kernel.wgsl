@group(0) @binding(0) var<storage, read> X: array<f32, 200704>;
@group(0) @binding(1) var<storage, read> W: array<f32, 36864>;
@group(0) @binding(2) var<storage, read_write> Y: array<f32, 200704>;
@compute @workgroup_size(8, 8, 1)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_id) lid: vec3<u32>, @builtin(local_invocation_index) lix: u32) {
  let bx = min(wid.x, 7u);
  let by = min(wid.y, 6u);
  let bz = min(wid.z, 55u);
  let tx = lid.x;
  let ty = lid.y;
  let i0 = (((by * 512u) + (ty * 64u)) + (bz * 3584u));
  let i8 = ((by * 8u) + ty);
  let i14 = ((bx * 8u) + tx);
  let i18 = (((((bx * 8u) + tx) + (by * 512u)) + (ty * 64u)) + (bz * 3584u));
  var Y_acc: f32;
  Y_acc = 0f;
  for (var r = 0u; r < 3u; r++) {
    let i1 = ((r * 3584u) + i0);
    let i4 = (r + bz);
    let p5 = (0u < i4);
    let p6 = (i4 < 57u);
    let p7 = (p5 & p6);
    let i15 = ((r * 12288u) + i14);
    for (var s = 0u; s < 3u; s++) {
      let i2 = ((s * 64u) + i1);
      let i9 = (s + i8);
      let p10 = (0u < i9);
      let p11 = (p7 & p10);
      let p12 = (i9 < 57u);
      let p13 = (p11 & p12);
      let i16 = ((s * 4096u) + i15);
      for (var c = 0u; c < 64u; c++) {
        let i3 = (c + i2);
        let i17 = ((c * 64u) + i16);
        Y_acc = ((select(0f, X[(i3 - 3648u)], p13) * W[i17]) + Y_acc);
      }
    }
  }
  Y[i18] = Y_acc;
}
