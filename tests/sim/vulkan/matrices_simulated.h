// SPDX-License-Identifier: MIT
// The words of device/vulkan/native/product_i8.comp for drivers without cooperative matrices. Factors are held whole by every thread, as
// quads of 16 bytes; sums are dealt out. Mesa's lavapipe leaves all loops after 65535 rounds: a product may have some 2000 terms.
AB_DIRECTIVE extension GL_KHR_shader_subgroup_basic : require
AB_DIRECTIVE extension GL_EXT_control_flow_attributes : require
#define AB_UNROLL [[dont_unroll]]  // or compiling takes half a minute
#define AB_LEFT_MATRICES(name, count) uvec4 name[count][AB_ROWS * AB_INNER / 16u];
#define AB_RIGHT_MATRIX(name) uvec4 name[AB_COLUMNS * AB_INNER / 16u];
#define AB_SUM_MATRICES(name, count) int name[count][AB_ROWS * AB_COLUMNS / AB_LANES];
#define AB_LOAD_LEFT(matrix, at) AB_LOAD_VECTORS(matrix, at, AB_ROWS)
#define AB_LOAD_RIGHT(matrix, at) AB_LOAD_VECTORS(matrix, at, AB_COLUMNS)
#define AB_LOAD_VECTORS(matrix, at, vectors) \
  [[dont_unroll]] for (uint y = 0u; y < vectors * (AB_INNER / 16u); ++y) matrix[y] = tile[at + y / (AB_INNER / 16u) * AB_STRIDE + y % (AB_INNER / 16u)];
#define AB_PLACE (y / (AB_INNER / 16u) * AB_LANES + gl_SubgroupInvocationID)
#define AB_MULTIPLY(sum, a, b)                                                                                   \
  [[dont_unroll]] for (uint y = 0u; y < AB_ROWS * AB_COLUMNS / AB_LANES * (AB_INNER / 16u); ++y) {                               \
    uvec4 of_row = a[AB_PLACE % AB_ROWS * (AB_INNER / 16u) + y % (AB_INNER / 16u)];                              \
    uvec4 of_column = b[AB_PLACE / AB_ROWS * (AB_INNER / 16u) + y % (AB_INNER / 16u)];                           \
    int value = dot4(of_row.x, of_column.x, dot4(of_row.y, of_column.y, 0));                                     \
    sum[y / (AB_INNER / 16u)] += dot4(of_row.z, of_column.z, dot4(of_row.w, of_column.w, value));                \
  }
#define AB_STORE(matrix, at)                                                                                     \
  [[dont_unroll]] for (uint y = 0u; y < AB_ROWS * AB_COLUMNS / AB_LANES; ++y) {                                                  \
    uint place = y * AB_LANES + gl_SubgroupInvocationID;                                                         \
    tile[at + place / AB_ROWS * (AB_PIECE_ROWS / 4u) + place % AB_ROWS / 4u][place % 4u] = AB_UINT(matrix[y]);   \
  }
