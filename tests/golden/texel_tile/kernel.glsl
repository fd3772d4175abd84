#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
precision highp usampler2D;
precision highp sampler2DArray;
precision highp isampler2DArray;
precision highp usampler2DArray;
uniform sampler2D b0;
uniform sampler2D b1;
layout(location = 0) out vec4 out0;
layout(location = 1) out vec4 out1;
layout(location = 2) out vec4 out2;
layout(location = 3) out vec4 out3;
void main() {
  int bx = int(gl_FragCoord.x);
  int by = int(gl_FragCoord.y);
  int i0 = (by * 4);
  vec4 C_acc_0;
  vec4 C_acc_1;
  vec4 C_acc_2;
  vec4 C_acc_3;
  C_acc_0 = vec4(0.0);
  C_acc_1 = vec4(0.0);
  C_acc_2 = vec4(0.0);
  C_acc_3 = vec4(0.0);
  for (int k_0 = 0; k_0 < 128; k_0++) {
    int i1 = (k_0 * 4);
    vec4 A_r_0 = texelFetch(b0, ivec2(k_0, i0), 0);
    vec4 A_r_1 = texelFetch(b0, ivec2(k_0, (i0 + 1)), 0);
    vec4 A_r_2 = texelFetch(b0, ivec2(k_0, (i0 + 2)), 0);
    vec4 A_r_3 = texelFetch(b0, ivec2(k_0, (i0 + 3)), 0);
    vec4 B_r = texelFetch(b1, ivec2(bx, i1), 0);
    C_acc_0 = ((A_r_0.x * B_r) + C_acc_0);
    C_acc_1 = ((A_r_1.x * B_r) + C_acc_1);
    C_acc_2 = ((A_r_2.x * B_r) + C_acc_2);
    C_acc_3 = ((A_r_3.x * B_r) + C_acc_3);
    vec4 B_r_1 = texelFetch(b1, ivec2(bx, (i1 + 1)), 0);
    C_acc_0 = ((A_r_0.y * B_r_1) + C_acc_0);
    C_acc_1 = ((A_r_1.y * B_r_1) + C_acc_1);
    C_acc_2 = ((A_r_2.y * B_r_1) + C_acc_2);
    C_acc_3 = ((A_r_3.y * B_r_1) + C_acc_3);
    vec4 B_r_2 = texelFetch(b1, ivec2(bx, (i1 + 2)), 0);
    C_acc_0 = ((A_r_0.z * B_r_2) + C_acc_0);
    C_acc_1 = ((A_r_1.z * B_r_2) + C_acc_1);
    C_acc_2 = ((A_r_2.z * B_r_2) + C_acc_2);
    C_acc_3 = ((A_r_3.z * B_r_2) + C_acc_3);
    vec4 B_r_3 = texelFetch(b1, ivec2(bx, (i1 + 3)), 0);
    C_acc_0 = ((A_r_0.w * B_r_3) + C_acc_0);
    C_acc_1 = ((A_r_1.w * B_r_3) + C_acc_1);
    C_acc_2 = ((A_r_2.w * B_r_3) + C_acc_2);
    C_acc_3 = ((A_r_3.w * B_r_3) + C_acc_3);
  }
  out0 = C_acc_0;
  out1 = C_acc_1;
  out2 = C_acc_2;
  out3 = C_acc_3;
}
