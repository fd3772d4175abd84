#pragma OPENCL FP_CONTRACT OFF
float4 mul_add_float4(float4 a, float4 b, float4 c) {
#pragma OPENCL FP_CONTRACT ON
  return a * b + c;
}
__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void run_kernel(__global const float* restrict A, __global const float4* restrict B, __global float4* restrict C) {
  __local float A_w[512];
  __local float4 B_w[128];
  const int bx = (int)get_group_id(0);
  const int by = (int)get_group_id(1);
  const int tx = (int)get_local_id(0);
  const int ty = (int)get_local_id(1);
  const int tid = (int)((get_local_id(2) * 8 + get_local_id(1)) * 8 + get_local_id(0));
  const int i0 = (tid >> 4);
  const int i1 = (tid & 15);
  const int i2 = (((by * 16384) + (i0 * 512)) + i1);
  const int i6 = (tid >> 3);
  const int i7 = (tid & 7);
  const int i8 = (((bx * 8) + (i6 * 128)) + i7);
  const int i12 = (ty * 64);
  const int i15 = ((((bx * 8) + tx) + (by * 4096)) + (ty * 512));
  float4 C_acc_0;
  float4 C_acc_1;
  float4 C_acc_2;
  float4 C_acc_3;
  C_acc_0 = ((float4)(0.0f));
  C_acc_1 = ((float4)(0.0f));
  C_acc_2 = ((float4)(0.0f));
  C_acc_3 = ((float4)(0.0f));
  for (int k_0 = 0; k_0 < 32; k_0++) {
    const int i3 = ((k_0 * 16) + i2);
    const int i9 = ((k_0 * 2048) + i8);
    for (int t_0 = 0; t_0 < 8; t_0++) {
      const int i4 = ((t_0 * 2048) + i3);
      const int i5 = ((t_0 * 64) + tid);
      A_w[i5] = A[i4];
    }
    for (int t_0_1 = 0; t_0_1 < 2; t_0_1++) {
      const int i10 = ((t_0_1 * 1024) + i9);
      const int i11 = ((t_0_1 * 64) + tid);
      B_w[i11] = B[i10];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k_1 = 0; k_1 < 16; k_1++) {
      const int i13 = (k_1 + i12);
      const int i14 = ((k_1 * 8) + tx);
      const float A_r_0 = A_w[i13];
      const float A_r_1 = A_w[(i13 + 16)];
      const float A_r_2 = A_w[(i13 + 32)];
      const float A_r_3 = A_w[(i13 + 48)];
      const float4 B_r = B_w[i14];
      C_acc_0 = mul_add_float4(((float4)(A_r_0)), B_r, C_acc_0);
      C_acc_1 = mul_add_float4(((float4)(A_r_1)), B_r, C_acc_1);
      C_acc_2 = mul_add_float4(((float4)(A_r_2)), B_r, C_acc_2);
      C_acc_3 = mul_add_float4(((float4)(A_r_3)), B_r, C_acc_3);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  C[i15] = C_acc_0;
  C[(i15 + 128)] = C_acc_1;
  C[(i15 + 256)] = C_acc_2;
  C[(i15 + 384)] = C_acc_3;
}
