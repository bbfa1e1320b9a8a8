// SPDX-License-Identifier: MIT
// out = alpha p + beta c on words, every operation rounded, in the order of docs/numerics.md 3; one definition for all classes.

AB_STRUCT(parts64)
  ulong re;
  ulong im;
AB_STRUCT_END(parts64)

AB_FN parts64 times64(ulong s_re, ulong s_im, parts64 x) {
  parts64 r;
  r.re = add64(mul64(s_re, x.re), negate64(mul64(s_im, x.im)));
  r.im = add64(mul64(s_re, x.im), mul64(s_im, x.re));
  return r;
}
AB_FN bool beta_is_zero(scalars s) { return is_zero64(s.beta_re) && is_zero64(s.beta_im); }

// The stored entry. parts: 1 or 2; c is looked at only when beta is not zero.
AB_FN parts64 epilogue64(parts64 p, parts64 c, scalars s, uint parts, bool diagonal) {
  parts64 t = p;
  if (parts == 1u || s.hermitian != 0u) {
    t.re = mul64(s.alpha_re, p.re);
    if (parts == 2u) t.im = mul64(s.alpha_re, p.im);
    if (!is_zero64(s.beta_re)) {
      t.re = add64(t.re, mul64(s.beta_re, c.re));
      if (parts == 2u) t.im = add64(t.im, mul64(s.beta_re, c.im));
    }
  } else {
    if (s.alpha_re != AB_ONE || !is_zero64(s.alpha_im)) t = times64(s.alpha_re, s.alpha_im, p);
    if (!beta_is_zero(s)) {
      parts64 u = c;
      if (s.beta_re != AB_ONE || !is_zero64(s.beta_im)) u = times64(s.beta_re, s.beta_im, c);
      t.re = add64(t.re, u.re);
      t.im = add64(t.im, u.im);
    }
  }
  t.re = canonical64(t.re);
  t.im = diagonal && s.hermitian != 0u ? 0ul : canonical64(t.im);
  return t;
}

// alpha = 0 or K = 0: out = beta c.
AB_FN parts64 scaled64(parts64 c, scalars s, uint parts, bool diagonal) {
  parts64 t;
  t.re = 0ul;
  t.im = 0ul;
  if (beta_is_zero(s)) return t;
  if (parts == 1u || s.hermitian != 0u) {
    t.re = mul64(s.beta_re, c.re);
    if (parts == 2u) t.im = mul64(s.beta_re, c.im);
  } else {
    t = times64(s.beta_re, s.beta_im, c);
  }
  t.re = canonical64(t.re);
  t.im = diagonal && s.hermitian != 0u ? 0ul : canonical64(t.im);
  return t;
}

AB_FN bool is_stored(result_view c, uint i, uint j) {
  if (c.triangle == 1u) return c.row0 + i <= c.column0 + j;
  if (c.triangle == 2u) return c.row0 + i >= c.column0 + j;
  return true;
}
AB_FN bool is_diagonal(result_view c, uint i, uint j) { return c.row0 + i == c.column0 + j; }
AB_FN slong place_of(result_view c, uint i, uint j) { return AB_LONG(i) * c.row_stride + AB_LONG(j) * c.column_stride; }

// How every result kernel reads and writes entry (i, j) of C: buffers c_re and c_im, struct p with members c and s.
#define AB_LOAD_C(entry, i, j) \
  parts64 entry; \
  entry.re = 0ul; \
  entry.im = 0ul; \
  if (!beta_is_zero(p.s)) { \
    entry.re = c_re[AB_INDEX(AB_LONG(p.c.offset_re) + place_of(p.c, i, j))]; \
    if (p.c.parts == 2u) entry.im = c_im[AB_INDEX(AB_LONG(p.c.offset_im) + place_of(p.c, i, j))]; \
  }
#define AB_STORE_C(entry, i, j) \
  c_re[AB_INDEX(AB_LONG(p.c.offset_re) + place_of(p.c, i, j))] = entry.re; \
  if (p.c.parts == 2u) c_im[AB_INDEX(AB_LONG(p.c.offset_im) + place_of(p.c, i, j))] = entry.im;
