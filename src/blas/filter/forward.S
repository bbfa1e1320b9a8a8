/* SPDX-License-Identifier: MIT
 * The names of the filter library. Each jumps to the function of that name elsewhere, with all registers and the stack as the caller
 * left them; the first time, ab_filter_find (find.c) says where that is. An entry is {target, place, name}, as in find.c. */
#define OURS(name) forward name 0
#define HOST(name) forward name 1

.macro entry name place
  .pushsection .data
  .balign 8
entry_\name:
  .quad 0
  .long \place
  .asciz "\name"
  .popsection
.endm

#if defined(__x86_64__)
.macro forward name place
  entry \name \place
  .globl \name
  .type \name, @function
  .balign 16
\name:
  .cfi_startproc
  endbr64
  movq entry_\name(%rip), %r11
  testq %r11, %r11
  jz 1f
  jmp *%r11
1:
  leaq entry_\name(%rip), %r11
  jmp first_call
  .cfi_endproc
  .size \name, . - \name
.endm

/* r11: the entry. Kept for the function: what may hold arguments, rax (number of vector registers) and r10 (static chain). */
.text
first_call:
  .cfi_startproc
  subq $200, %rsp
  .cfi_adjust_cfa_offset 200
  movaps %xmm0, (%rsp)
  movaps %xmm1, 16(%rsp)
  movaps %xmm2, 32(%rsp)
  movaps %xmm3, 48(%rsp)
  movaps %xmm4, 64(%rsp)
  movaps %xmm5, 80(%rsp)
  movaps %xmm6, 96(%rsp)
  movaps %xmm7, 112(%rsp)
  movq %rdi, 128(%rsp)
  movq %rsi, 136(%rsp)
  movq %rdx, 144(%rsp)
  movq %rcx, 152(%rsp)
  movq %r8, 160(%rsp)
  movq %r9, 168(%rsp)
  movq %rax, 176(%rsp)
  movq %r10, 184(%rsp)
  movq %r11, %rdi
  call ab_filter_find
  movq %rax, %r11
  movaps (%rsp), %xmm0
  movaps 16(%rsp), %xmm1
  movaps 32(%rsp), %xmm2
  movaps 48(%rsp), %xmm3
  movaps 64(%rsp), %xmm4
  movaps 80(%rsp), %xmm5
  movaps 96(%rsp), %xmm6
  movaps 112(%rsp), %xmm7
  movq 128(%rsp), %rdi
  movq 136(%rsp), %rsi
  movq 144(%rsp), %rdx
  movq 152(%rsp), %rcx
  movq 160(%rsp), %r8
  movq 168(%rsp), %r9
  movq 176(%rsp), %rax
  movq 184(%rsp), %r10
  addq $200, %rsp
  .cfi_adjust_cfa_offset -200
  jmp *%r11
  .cfi_endproc

#elif defined(__aarch64__)
.macro forward name place
  entry \name \place
  .globl \name
  .type \name, %function
  .balign 16
\name:
  .cfi_startproc
  hint #34 /* bti c */
  adrp x16, entry_\name
  add x16, x16, :lo12:entry_\name
  ldr x17, [x16]
  cbz x17, first_call
  br x17
  .cfi_endproc
  .size \name, . - \name
.endm

/* x16: the entry. Kept for the function: x0 to x8, v0 to v7. */
.text
first_call:
  .cfi_startproc
  stp x29, x30, [sp, #-224]!
  .cfi_def_cfa_offset 224
  .cfi_offset x29, -224
  .cfi_offset x30, -216
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  stp q4, q5, [sp, #160]
  stp q6, q7, [sp, #192]
  mov x29, sp
  mov x0, x16
  bl ab_filter_find
  mov x17, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldr x8, [sp, #80]
  ldp q0, q1, [sp, #96]
  ldp q2, q3, [sp, #128]
  ldp q4, q5, [sp, #160]
  ldp q6, q7, [sp, #192]
  ldp x29, x30, [sp], #224
  .cfi_def_cfa_offset 0
  .cfi_restore x29
  .cfi_restore x30
  br x17
  .cfi_endproc
#endif

.text
#include "names.h"

.section .note.GNU-stack, "", %progbits
