#include "go_asm.h"
#include "textflag.h"

// Byte offsets in ·constants.
#define LOWEST   0
#define LOG2E    4
#define LN2HIGH  8
#define LN2LOW   12
#define TAYLOR6  16
#define TAYLOR5  20
#define TAYLOR4  24
#define TAYLOR3  28
#define TAYLOR2  32
#define ONE      36
#define ERFSTEP  40
#define ERF5     44
#define ERF4     48
#define ERF3     52
#define ERF2     56
#define ERF1     60
#define HALF     64
#define LIMIT    68
#define TINY     72

// SCALED converts the sums of rows in one register to floats, scales them and adds them to the output.
#define SCALED(SUM, ROWS, TOKEN, TO) \
	VCVTDQ2PS SUM, SUM        \
	VMULPS    ROWS, SUM, SUM  \
	VMULPS    TOKEN, SUM, SUM \
	VADDPS    TO, SUM, SUM    \
	VMOVUPS   SUM, TO

// PRODUCT adds the products of sixteen rows with two values of a token to two registers of sums, eight rows in each.
#define PRODUCT(TOKEN, LOW, HIGH) \
	VPBROADCASTD (TOKEN)(R12*1), Y10 \
	VPMADDWD     Y8, Y10, Y11        \
	VPADDD       Y11, LOW, LOW       \
	VPMADDWD     Y9, Y10, Y12        \
	VPADDD       Y12, HIGH, HIGH

// func multiplyAVX2(t *tile)
TEXT ·multiplyAVX2(SB), NOSPLIT, $0-8
	MOVQ t+0(FP), DI
	MOVQ tile_weights(DI), SI
	MOVQ tile_input(DI), R8
	MOVQ tile_stride(DI), AX
	LEAQ (R8)(AX*1), R9
	LEAQ (R9)(AX*1), R10
	LEAQ (R10)(AX*1), R11
	MOVQ tile_scales(DI), DX
	MOVQ tile_rows(DI), BX
	MOVQ $4, R15

group:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	XORQ  R12, R12

pair:
	VPMOVSXBW (SI)(R12*8), Y8
	VPMOVSXBW 16(SI)(R12*8), Y9
	PRODUCT(R8, Y0, Y1)
	PRODUCT(R9, Y2, Y3)
	PRODUCT(R10, Y4, Y5)
	PRODUCT(R11, Y6, Y7)
	ADDQ $4, R12
	CMPQ R12, $(2*const_section)
	JLT  pair

	VMOVUPS      (BX), Y8
	VMOVUPS      32(BX), Y9
	MOVQ         tile_to(DI), AX
	MOVQ         tile_step(DI), R12
	VBROADCASTSS (DX), Y12
	SCALED(Y0, Y8, Y12, (AX))
	SCALED(Y1, Y9, Y12, 32(AX))
	ADDQ         R12, AX
	VBROADCASTSS 4(DX), Y12
	SCALED(Y2, Y8, Y12, (AX))
	SCALED(Y3, Y9, Y12, 32(AX))
	ADDQ         R12, AX
	VBROADCASTSS 8(DX), Y12
	SCALED(Y4, Y8, Y12, (AX))
	SCALED(Y5, Y9, Y12, 32(AX))
	ADDQ         R12, AX
	VBROADCASTSS 12(DX), Y12
	SCALED(Y6, Y8, Y12, (AX))
	SCALED(Y7, Y9, Y12, 32(AX))

	ADDQ tile_group(DI), SI
	ADDQ $64, BX
	ADDQ $64, tile_to(DI)
	DECQ R15
	JNZ  group
	SUBQ $256, tile_to(DI)
	VZEROUPPER
	RET

// PRODUCTS adds the products of 64 rows with two values of a token to four registers of sums, sixteen rows in each.
#define PRODUCTS(TOKEN, A, B, C, D) \
	VPBROADCASTD (TOKEN)(R12*1), Z20 \
	VPDPWSSD     Z16, Z20, A         \
	VPDPWSSD     Z17, Z20, B         \
	VPDPWSSD     Z18, Z20, C         \
	VPDPWSSD     Z19, Z20, D

#define SCALEDROW(TOKEN, A, B, C, D) \
	VBROADCASTSS TOKEN, Z24               \
	SCALED(A, Z16, Z24, (AX))  \
	SCALED(B, Z17, Z24, 64(AX))  \
	SCALED(C, Z18, Z24, 128(AX))  \
	SCALED(D, Z19, Z24, 192(AX))  \
	ADDQ         R12, AX

// func multiplyVNNI(t *tile)
TEXT ·multiplyVNNI(SB), NOSPLIT, $0-8
	MOVQ t+0(FP), DI
	MOVQ tile_weights(DI), SI
	MOVQ tile_group(DI), AX
	LEAQ (SI)(AX*1), DX
	LEAQ (DX)(AX*1), BX
	LEAQ (BX)(AX*1), R13
	MOVQ tile_input(DI), R8
	MOVQ tile_stride(DI), AX
	LEAQ (R8)(AX*1), R9
	LEAQ (R9)(AX*1), R10
	LEAQ (R10)(AX*1), R11

	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	VPXORD Z8, Z8, Z8
	VPXORD Z9, Z9, Z9
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11
	VPXORD Z12, Z12, Z12
	VPXORD Z13, Z13, Z13
	VPXORD Z14, Z14, Z14
	VPXORD Z15, Z15, Z15
	XORQ   R12, R12

pairs:
	VPMOVSXBW (SI)(R12*8), Z16
	VPMOVSXBW (DX)(R12*8), Z17
	VPMOVSXBW (BX)(R12*8), Z18
	VPMOVSXBW (R13)(R12*8), Z19
	PRODUCTS(R8, Z0, Z1, Z2, Z3)
	PRODUCTS(R9, Z4, Z5, Z6, Z7)
	PRODUCTS(R10, Z8, Z9, Z10, Z11)
	PRODUCTS(R11, Z12, Z13, Z14, Z15)
	ADDQ $4, R12
	CMPQ R12, $(2*const_section)
	JLT  pairs

	MOVQ    tile_rows(DI), BX
	VMOVUPS (BX), Z16
	VMOVUPS 64(BX), Z17
	VMOVUPS 128(BX), Z18
	VMOVUPS 192(BX), Z19
	MOVQ    tile_scales(DI), DX
	MOVQ    tile_to(DI), AX
	MOVQ    tile_step(DI), R12
	SCALEDROW((DX), Z0, Z1, Z2, Z3)
	SCALEDROW(4(DX), Z4, Z5, Z6, Z7)
	SCALEDROW(8(DX), Z8, Z9, Z10, Z11)
	SCALEDROW(12(DX), Z12, Z13, Z14, Z15)
	VZEROUPPER
	RET

// func quantiseAVX2(to []int16, from []float32) float32
TEXT ·quantiseAVX2(SB), NOSPLIT, $0-52
	MOVQ     to_base+0(FP), DI
	MOVQ     from_base+24(FP), SI
	MOVQ     from_len+32(FP), CX
	VPCMPEQD Y4, Y4, Y4
	VPSRLD   $1, Y4, Y4
	VXORPS   Y0, Y0, Y0
	VXORPS   Y1, Y1, Y1
	XORQ     AX, AX

largest:
	VANDPS (SI)(AX*4), Y4, Y2
	VANDPS 32(SI)(AX*4), Y4, Y3
	VMAXPS Y2, Y0, Y0
	VMAXPS Y3, Y1, Y1
	ADDQ   $16, AX
	CMPQ   AX, CX
	JLT    largest

	VMAXPS       Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VMAXPS       X1, X0, X0
	VPSHUFD      $0x4e, X0, X1
	VMAXPS       X1, X0, X0
	VPSHUFD      $0xb1, X0, X1
	VMAXPS       X1, X0, X0
	VXORPS       X2, X2, X2
	VMOVSS       ·constants+LIMIT(SB), X1
	VMOVSS       ·constants+TINY(SB), X3
	VUCOMISS     X3, X0
	JCS          tiny
	VDIVSS       X0, X1, X2
	VDIVSS       X1, X0, X0
	JMP          scaled

tiny:
	VXORPS X0, X0, X0

scaled:
	VMOVSS       X0, ret+48(FP)
	VBROADCASTSS X2, Y2
	XORQ         AX, AX

round:
	VMULPS    (SI)(AX*4), Y2, Y0
	VMULPS    32(SI)(AX*4), Y2, Y1
	VCVTPS2DQ Y0, Y0
	VCVTPS2DQ Y1, Y1
	VPACKSSDW Y1, Y0, Y0
	VPERMQ    $0xd8, Y0, Y0
	VMOVDQU   Y0, (DI)(AX*2)
	ADDQ      $16, AX
	CMPQ      AX, CX
	JLT       round
	VZEROUPPER
	RET

// POWER replaces X by e to the power of X, as the Go function power does. N and SUM are scratch registers. Y15 to Y6 hold the
// constants from LOWEST on.
#define POWER(X, N, SUM) \
	VMAXPS    Y15, X, X     \
	VMULPS    Y14, X, N     \
	VCVTPS2DQ N, N          \
	VCVTDQ2PS N, SUM        \
	VMULPS    Y13, SUM, Y5  \
	VSUBPS    Y5, X, X      \
	VMULPS    Y12, SUM, Y5  \
	VSUBPS    Y5, X, X      \
	VMULPS    Y11, X, SUM   \
	VADDPS    Y10, SUM, SUM \
	VMULPS    X, SUM, SUM   \
	VADDPS    Y9, SUM, SUM  \
	VMULPS    X, SUM, SUM   \
	VADDPS    Y8, SUM, SUM  \
	VMULPS    X, SUM, SUM   \
	VADDPS    Y7, SUM, SUM  \
	VMULPS    X, SUM, SUM   \
	VADDPS    Y6, SUM, SUM  \
	VMULPS    X, SUM, SUM   \
	VADDPS    Y6, SUM, SUM  \
	VPSLLD    $23, N, N     \
	VPADDD    Y6, N, N      \
	VMULPS    N, SUM, X

#define POWERCONSTANTS \
	VBROADCASTSS ·constants+LOWEST(SB), Y15  \
	VBROADCASTSS ·constants+LOG2E(SB), Y14   \
	VBROADCASTSS ·constants+LN2HIGH(SB), Y13 \
	VBROADCASTSS ·constants+LN2LOW(SB), Y12  \
	VBROADCASTSS ·constants+TAYLOR6(SB), Y11 \
	VBROADCASTSS ·constants+TAYLOR5(SB), Y10 \
	VBROADCASTSS ·constants+TAYLOR4(SB), Y9  \
	VBROADCASTSS ·constants+TAYLOR3(SB), Y8  \
	VBROADCASTSS ·constants+TAYLOR2(SB), Y7  \
	VBROADCASTSS ·constants+ONE(SB), Y6

// func expAVX2(x []float32, most float32)
TEXT ·expAVX2(SB), NOSPLIT, $0-28
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	VBROADCASTSS most+24(FP), Y4
	POWERCONSTANTS
	XORQ         AX, AX

eight:
	VMOVUPS (SI)(AX*4), Y0
	VSUBPS  Y4, Y0, Y0
	POWER(Y0, Y1, Y2)
	VMOVUPS Y0, (SI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     eight
	VZEROUPPER
	RET

// NEXT computes one step of the polynomial.
#define NEXT(NAME) \
	VMULPS       Y2, Y3, Y3                \
	VBROADCASTSS ·constants+NAME(SB), Y4   \
	VADDPS       Y4, Y3, Y3

// func geluAVX2(x []float32)
TEXT ·geluAVX2(SB), NOSPLIT, $0-24
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	POWERCONSTANTS
	XORQ AX, AX

values:
	VMOVUPS      (SI)(AX*4), Y0
	VPCMPEQD     Y4, Y4, Y4
	VPSRLD       $1, Y4, Y4
	VANDPS       Y4, Y0, Y1
	VBROADCASTSS ·constants+ERFSTEP(SB), Y4
	VMULPS       Y4, Y1, Y2
	VADDPS       Y6, Y2, Y2
	VDIVPS       Y2, Y6, Y2
	VBROADCASTSS ·constants+ERF5(SB), Y3
	NEXT(ERF4)
	NEXT(ERF3)
	NEXT(ERF2)
	NEXT(ERF1)
	VMULPS       Y2, Y3, Y3
	VBROADCASTSS ·constants+HALF(SB), Y4
	VMULPS       Y4, Y1, Y4
	VMULPS       Y1, Y4, Y1
	VXORPS       Y2, Y2, Y2
	VSUBPS       Y1, Y2, Y1
	VMAXPS       Y2, Y0, Y0
	VMOVUPS      Y0, (SI)(AX*4)
	POWER(Y1, Y0, Y2)
	VMULPS       Y1, Y3, Y3
	VMULPS       Y4, Y3, Y3
	VMOVUPS      (SI)(AX*4), Y0
	VSUBPS       Y3, Y0, Y0
	VMOVUPS      Y0, (SI)(AX*4)
	ADDQ         $8, AX
	CMPQ         AX, CX
	JLT          values
	VZEROUPPER
	RET

// func mixAVX2(to, weights, values []float32, stride int)
TEXT ·mixAVX2(SB), NOSPLIT, $0-80
	MOVQ to_base+0(FP), DI
	MOVQ to_len+8(FP), DX
	MOVQ weights_base+24(FP), R8
	MOVQ weights_len+32(FP), R9
	MOVQ values_base+48(FP), SI
	MOVQ stride+72(FP), BX
	SHLQ $2, BX

columns:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	MOVQ   SI, R10
	XORQ   AX, AX

row:
	VBROADCASTSS (R8)(AX*4), Y4
	VMULPS       (R10), Y4, Y5
	VADDPS       Y5, Y0, Y0
	VMULPS       32(R10), Y4, Y6
	VADDPS       Y6, Y1, Y1
	VMULPS       64(R10), Y4, Y7
	VADDPS       Y7, Y2, Y2
	VMULPS       96(R10), Y4, Y8
	VADDPS       Y8, Y3, Y3
	ADDQ         BX, R10
	INCQ         AX
	CMPQ         AX, R9
	JLT          row

	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	ADDQ    $128, DI
	ADDQ    $128, SI
	SUBQ    $32, DX
	JGT     columns
	VZEROUPPER
	RET
