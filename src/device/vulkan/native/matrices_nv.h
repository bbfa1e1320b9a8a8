// SPDX-License-Identifier: MIT
// Matrices of a subgroup as GL_NV_cooperative_matrix spells them, for compilers that do not know Khronos' extension yet.
AB_DIRECTIVE extension GL_KHR_memory_scope_semantics : require
AB_DIRECTIVE extension GL_KHR_shader_subgroup_basic : require
AB_DIRECTIVE extension GL_EXT_control_flow_attributes : require
AB_DIRECTIVE extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
AB_DIRECTIVE extension GL_NV_cooperative_matrix : require
AB_DIRECTIVE extension GL_NV_integer_cooperative_matrix : require
#define AB_UNROLL [[unroll]]  // or matrices would have places in memory
#define AB_LEFT_MATRICES(name, count) icoopmatNV<8, gl_ScopeSubgroup, AB_ROWS, AB_INNER> name[count];
#define AB_RIGHT_MATRIX(name) icoopmatNV<8, gl_ScopeSubgroup, AB_INNER, AB_COLUMNS> name;
#define AB_SUM_MATRICES(name, count) icoopmatNV<32, gl_ScopeSubgroup, AB_ROWS, AB_COLUMNS> name[count];
#define AB_LOAD_LEFT(matrix, at) coopMatLoadNV(matrix, tile, at, AB_STRIDE, false);
#define AB_LOAD_RIGHT(matrix, at) coopMatLoadNV(matrix, tile, at, AB_STRIDE, true);
#define AB_MULTIPLY(sum, a, b) sum = coopMatMulAddNV(a, b, sum);
#define AB_STORE(matrix, at) coopMatStoreNV(matrix, tile, at, AB_PIECE_ROWS / 4u, true);
