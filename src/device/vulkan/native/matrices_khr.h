// SPDX-License-Identifier: MIT
// Matrices of a subgroup as GL_KHR_cooperative_matrix spells them: first lines of a text and the words of product_i8.comp.
AB_DIRECTIVE extension GL_KHR_memory_scope_semantics : require
AB_DIRECTIVE extension GL_KHR_shader_subgroup_basic : require
AB_DIRECTIVE extension GL_EXT_control_flow_attributes : require
AB_DIRECTIVE extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
AB_DIRECTIVE extension GL_KHR_cooperative_matrix : require
#define AB_UNROLL [[unroll]]  // or matrices would have places in memory
#define AB_LEFT_MATRICES(name, count) coopmat<int8_t, gl_ScopeSubgroup, AB_ROWS, AB_INNER, gl_MatrixUseA> name[count];
#define AB_RIGHT_MATRIX(name) coopmat<int8_t, gl_ScopeSubgroup, AB_INNER, AB_COLUMNS, gl_MatrixUseB> name;
#define AB_SUM_MATRICES(name, count) coopmat<int, gl_ScopeSubgroup, AB_ROWS, AB_COLUMNS, gl_MatrixUseAccumulator> name[count];
#define AB_LOAD_LEFT(matrix, at) coopMatLoad(matrix, tile, at, AB_STRIDE, gl_CooperativeMatrixLayoutRowMajor);
#define AB_LOAD_RIGHT(matrix, at) coopMatLoad(matrix, tile, at, AB_STRIDE, gl_CooperativeMatrixLayoutColumnMajor);
#define AB_MULTIPLY(sum, a, b) sum = coopMatMulAdd(a, b, sum);
#define AB_STORE(matrix, at) coopMatStore(matrix, tile, at, AB_PIECE_ROWS / 4u, gl_CooperativeMatrixLayoutColumnMajor);
