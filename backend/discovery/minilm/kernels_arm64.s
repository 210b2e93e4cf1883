#include "go_asm.h"
#include "textflag.h"

// Instructions that the Go assembler does not support. Registers are given as numbers.

// SMLAL adds the products of the lower four values of N with value I of M to the four sums in D. SMLAL2 uses the upper
// four values of N.
#define SMLAL(D, N, M, I)  WORD $(0x0f402000 | ((I)&4)<<9 | ((I)&2)<<20 | ((I)&1)<<20 | (M)<<16 | (N)<<5 | (D))
#define SMLAL2(D, N, M, I) WORD $(0x4f402000 | ((I)&4)<<9 | ((I)&2)<<20 | ((I)&1)<<20 | (M)<<16 | (N)<<5 | (D))

// SXTL widens the lower eight bytes of N to 16 bits each, and SXTL2 the upper eight.
#define SXTL(D, N)  WORD $(0x0f08a400 | (N)<<5 | (D))
#define SXTL2(D, N) WORD $(0x4f08a400 | (N)<<5 | (D))

// SCVTF converts four integers to floats. FMUL and FADD operate on four floats.
#define SCVTF(D, N)   WORD $(0x4e21d800 | (N)<<5 | (D))
#define FMUL(D, N, M) WORD $(0x6e20dc00 | (M)<<16 | (N)<<5 | (D))
#define FADD(D, N, M) WORD $(0x4e20d400 | (M)<<16 | (N)<<5 | (D))

// PRODUCT adds the products of sixteen rows with the values I and I+1 of the token in M to the sums in four registers from D.
#define PRODUCT(D, M, I) \
	SMLAL(D, 2, M, I)        \
	SMLAL2(D+1, 2, M, I)     \
	SMLAL(D+2, 3, M, I)      \
	SMLAL2(D+3, 3, M, I)     \
	SMLAL(D, 4, M, I+1)      \
	SMLAL2(D+1, 4, M, I+1)   \
	SMLAL(D+2, 5, M, I+1)    \
	SMLAL2(D+3, 5, M, I+1)

// PAIR loads the next two columns of sixteen rows and multiplies them with the values I and I+1 of all tokens.
#define PAIR(I) \
	VLD2.P 32(R1), [V0.B16, V1.B16] \
	SXTL(2, 0)         \
	SXTL2(3, 0)        \
	SXTL(4, 1)         \
	SXTL2(5, 1)        \
	PRODUCT(16, 6, I)  \
	PRODUCT(20, 7, I)  \
	PRODUCT(24, 8, I)  \
	PRODUCT(28, 9, I)

// SCALED converts the sums in the registers from D to floats, scales them and adds them to the output of a token.
#define SCALED(D) \
	VLD1R.P 4(R10), [V4.S4]                         \
	VLD1    (R7), [V10.S4, V11.S4, V12.S4, V13.S4]  \
	SCVTF(D, D)        \
	SCVTF(D+1, D+1)    \
	SCVTF(D+2, D+2)    \
	SCVTF(D+3, D+3)    \
	FMUL(D, D, 0)      \
	FMUL(D+1, D+1, 1)  \
	FMUL(D+2, D+2, 2)  \
	FMUL(D+3, D+3, 3)  \
	FMUL(D, D, 4)      \
	FMUL(D+1, D+1, 4)  \
	FMUL(D+2, D+2, 4)  \
	FMUL(D+3, D+3, 4)  \
	FADD(10, 10, D)    \
	FADD(11, 11, D+1)  \
	FADD(12, 12, D+2)  \
	FADD(13, 13, D+3)  \
	VST1    [V10.S4, V11.S4, V12.S4, V13.S4], (R7)  \
	ADD     R8, R7

// func multiplyNEON(t *tile)
TEXT ·multiplyNEON(SB), NOSPLIT, $0-8
	MOVD t+0(FP), R0
	MOVD tile_weights(R0), R13
	MOVD tile_group(R0), R2
	MOVD tile_input(R0), R3
	MOVD tile_stride(R0), R11
	ADD  R11, R3, R4
	ADD  R11, R4, R5
	ADD  R11, R5, R6
	MOVD tile_to(R0), R14
	MOVD tile_step(R0), R8
	MOVD tile_rows(R0), R9
	MOVD $4, R12

group:
	VEOR V16.B16, V16.B16, V16.B16
	VEOR V17.B16, V17.B16, V17.B16
	VEOR V18.B16, V18.B16, V18.B16
	VEOR V19.B16, V19.B16, V19.B16
	VEOR V20.B16, V20.B16, V20.B16
	VEOR V21.B16, V21.B16, V21.B16
	VEOR V22.B16, V22.B16, V22.B16
	VEOR V23.B16, V23.B16, V23.B16
	VEOR V24.B16, V24.B16, V24.B16
	VEOR V25.B16, V25.B16, V25.B16
	VEOR V26.B16, V26.B16, V26.B16
	VEOR V27.B16, V27.B16, V27.B16
	VEOR V28.B16, V28.B16, V28.B16
	VEOR V29.B16, V29.B16, V29.B16
	VEOR V30.B16, V30.B16, V30.B16
	VEOR V31.B16, V31.B16, V31.B16
	MOVD R13, R1
	MOVD $(const_section/8), R11

eight:
	VLD1.P 16(R3), [V6.H8]
	VLD1.P 16(R4), [V7.H8]
	VLD1.P 16(R5), [V8.H8]
	VLD1.P 16(R6), [V9.H8]
	PAIR(0)
	PAIR(2)
	PAIR(4)
	PAIR(6)
	SUBS   $1, R11
	BNE    eight

	SUB    $(2*const_section), R3
	SUB    $(2*const_section), R4
	SUB    $(2*const_section), R5
	SUB    $(2*const_section), R6
	VLD1.P 64(R9), [V0.S4, V1.S4, V2.S4, V3.S4]
	MOVD   tile_scales(R0), R10
	MOVD   R14, R7
	SCALED(16)
	SCALED(20)
	SCALED(24)
	SCALED(28)
	ADD    R2, R13
	ADD    $64, R14
	SUBS   $1, R12
	BNE    group
	RET
